# SPDX-License-Identifier: GPL-2.0
#
#	make		build the module for the kernels of the tests, the command
#	make check	build, and run the tests
#	make demo	show it at work with FreeRADIUS, in a virtual machine
#	make shell	stay in that virtual machine, to play
#	make lint	the static checks
#	make fuzz	210,000 packets changed at random, on the debug kernel
#	make sessions	a million sessions, and their memory
#	make bench	what a request costs, and Documentation/performance.*
#	make bench-check a short form of it: is anything worse than it was?
#	make check-slow	all tests on all kernels, and the virtual machine
#	make clean
#
# make KERNELDIR=/lib/modules/$(uname -r)/build module builds the module for
# one kernel, in this directory.

KERNELS ?= 6.1 6.12 rt

all: packages command
	@for kernel in $(KERNELS); do W=1 selftests/vm/module $$kernel || exit; done

packages:
	@tools/setup/packages

command: packages
	@$(MAKE) -s -C tools/radsteer

module:
	$(MAKE) -C $(KERNELDIR) M=$(CURDIR) modules

helpers: packages
	@env -u MAKELEVEL $(MAKE) -s -C selftests

demo shell:
	@tools/demo/start $@

lint: packages
	@selftests/lint

fuzz: command helpers
	@selftests/vm/run --kernel debug -- \
		env FUZZ=30000 selftests/malformed.sh

sessions: command helpers
	@RADSTEER_VM_TIMEOUT=7200 selftests/vm/run --kernel 6.1 -- \
		env SESSIONS=1000000 selftests/sessions_many.sh

bench: command
	@selftests/bench/bench

bench-check: command
	@selftests/bench/bench check

check: all
	@selftests/check

check-slow: all fuzz sessions
	@selftests/vm/selftest 6.12 rt debug
	@ALL=1 KERNELS="6.1 6.12" KERNELS_FEW= selftests/check
	@ALL=1 KERNELS="rt debug" KERNELS_FEW= selftests/check

clean:
	$(RM) -r build

.PHONY: all packages command module helpers demo shell lint fuzz sessions bench
.PHONY: bench-check check check-slow clean
