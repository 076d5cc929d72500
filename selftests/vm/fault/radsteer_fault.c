// SPDX-License-Identifier: GPL-2.0
/*
 * Breaks the kernel in one way, to prove that the virtual machine's runner
 * notices. For a guest that is thrown away afterwards, and nothing else.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static char *kind = "none";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "what to do: warn, oops, lockdep, kasan or leak");

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);

static void fault_oops(void)
{
	int *nowhere = NULL;

	/* The compiler must not see what it could turn into something else. */
	OPTIMIZER_HIDE_VAR(nowhere);
	WRITE_ONCE(*nowhere, 1);
}

/* One order, then the other: nothing happens, but something could. */
static void fault_lockdep(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);

	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

static int fault_kasan(void)
{
	size_t past = 24;
	char *memory;

	memory = kzalloc(past, GFP_KERNEL);
	if (!memory)
		return -ENOMEM;

	OPTIMIZER_HIDE_VAR(past);
	pr_info("read %d\n", READ_ONCE(memory[past]));
	kfree(memory);
	return 0;
}

/* Several, as a stale copy of one pointer could still lie on a stack. */
static int fault_leak(void)
{
	void *memory;
	int i;

	for (i = 0; i < 16; i++) {
		memory = kzalloc(200, GFP_KERNEL);
		if (!memory)
			return -ENOMEM;
		OPTIMIZER_HIDE_VAR(memory);
	}
	return 0;
}

static int __init fault_init(void)
{
	int err = 0;

	if (!strcmp(kind, "warn"))
		WARN(1, "asked to warn\n");
	else if (!strcmp(kind, "oops"))
		fault_oops();
	else if (!strcmp(kind, "lockdep"))
		fault_lockdep();
	else if (!strcmp(kind, "kasan"))
		err = fault_kasan();
	else if (!strcmp(kind, "leak"))
		err = fault_leak();
	else
		err = -EINVAL;

	return err;
}

static void __exit fault_exit(void)
{
}

module_init(fault_init);
module_exit(fault_exit);

MODULE_DESCRIPTION("Faults for the test of the virtual machine's runner");
MODULE_LICENSE("GPL");
