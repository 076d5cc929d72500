#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Hold the user API header to the netlink spec, both ways.

From the spec follow the names and numbers that the header must have: those of
the kernel's own families (RADSTEER_A_GROUP_NAME, RADSTEER_CMD_GROUP_NEW, ...).
They are written down as a C file of static assertions, one a line, and the
compiler judges them. The other way round, the header is preprocessed and may
have no macro, enumeration or declaration that does not follow from the spec.
"""

import argparse
import os
import re
import subprocess
import sys

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
GUARD = '_UAPI_LINUX_RADSTEER_H'

# What the names follow from. A key that is not known here could move a number
# without this test seeing it, so that it is refused instead.
KNOWN = {
    'the spec': {'name', 'protocol', 'uapi-header', 'doc', 'version',
                 'definitions', 'attribute-sets', 'operations', 'mcast-groups'},
    'a definition': {'type', 'name', 'value', 'doc', 'entries', 'value-start',
                     'render-max'},
    'an entry': {'name', 'value', 'doc'},
    'an attribute set': {'name', 'doc', 'attributes'},
    'an attribute': {'name', 'type', 'doc', 'byte-order', 'checks', 'enum',
                     'multi-attr', 'nested-attributes', 'value', 'sub-type',
                     'display-hint', 'enum-as-flags', 'struct'},
    'operations': {'list', 'doc'},
    'an operation': {'name', 'doc', 'attribute-set', 'flags', 'do', 'dump',
                     'value', 'notify', 'mcgrp', 'event', 'dont-validate'},
    'a multicast group': {'name', 'value'},
}


class SpecError(Exception):
    """The spec is not one that this test understands."""


def known(what, item):
    unknown = set(item) - KNOWN[what]
    if unknown:
        keys = ', '.join(sorted(unknown))
        raise SpecError(f'{what}, {item.get("name", "")}: unknown {keys}')
    return item


def c_name(*words):
    return '_'.join(words).upper().replace('-', '_')


class Expected:
    """What the header must have: numbers by topic, strings, tags of enums."""

    def __init__(self):
        self.topics = {}
        self.strings = {}
        self.macros = set()
        self.enums = {}

    def number(self, topic, name, value):
        numbers = self.topics.setdefault(topic, {})
        if name in self.numbers():
            raise SpecError(f'{name} follows from the spec twice')
        numbers[name] = value

    def numbers(self):
        return {name: value for topic in self.topics.values()
                for name, value in topic.items()}


def definitions(spec, expected):
    family = spec['name']
    for item in spec.get('definitions', []):
        known('a definition', item)
        name = c_name(family, item['name'])
        if item['type'] == 'const':
            if isinstance(item['value'], str):
                expected.strings[name] = item['value']
            else:
                expected.number('constants', name, item['value'])
            expected.macros.add(name)
        elif item['type'] in ('enum', 'flags'):
            topic = f'enum {item["name"]}'
            value = item.get('value-start', 0)
            names = set()
            for entry in item['entries']:
                if isinstance(entry, str):
                    entry = {'name': entry}
                value = known('an entry', entry).get('value', value)
                entry_name = c_name(family, item['name'], entry['name'])
                number = 1 << value if item['type'] == 'flags' else value
                expected.number(topic, entry_name, number)
                names.add(entry_name)
                value += 1
            if item.get('render-max'):
                if item['type'] == 'flags':
                    raise SpecError(f'render-max of flags {item["name"]}')
                name_max = c_name(family, item['name'], 'max')
                expected.number(topic, '__' + name_max, value)
                expected.number(topic, name_max, value - 1)
                names |= {name_max, '__' + name_max}
            expected.enums[name.lower()] = names
        else:
            raise SpecError(f'definition {item["name"]} of a type unknown here')


def numbered(expected, topic, prefix, items):
    """Attributes and operations: from 1, each with a MAX at the end."""
    value = 1
    highest = 0
    for item in items:
        value = item.get('value', value)
        expected.number(topic, c_name(prefix, item['name']), value)
        highest = max(highest, value)
        value += 1
    if value <= highest:
        raise SpecError(f'{topic}: the last is not the highest')
    expected.number(topic, '__' + c_name(prefix, 'max'), value)
    expected.number(topic, c_name(prefix, 'max'), value - 1)


def attribute_sets(spec, expected):
    for item in spec['attribute-sets']:
        known('an attribute set', item)
        for attribute in item['attributes']:
            known('an attribute', attribute)
        numbered(expected, f'attributes of {item["name"]}',
                 c_name(spec['name'], 'a', item['name']), item['attributes'])


def operations(spec, expected):
    items = known('operations', spec['operations'])['list']
    for item in items:
        known('an operation', item)
    numbered(expected, 'operations', c_name(spec['name'], 'cmd'), items)


def read_spec(path):
    with open(path, encoding='utf-8') as stream:
        spec = known('the spec', yaml.safe_load(stream))
    if spec['protocol'] != 'genetlink':
        raise SpecError(f'protocol {spec["protocol"]}')

    expected = Expected()
    family = c_name(spec['name'], 'family')
    expected.strings[family + '_NAME'] = spec['name']
    expected.number('family', family + '_VERSION', spec.get('version', 1))
    expected.macros |= {family + '_NAME', family + '_VERSION'}
    definitions(spec, expected)
    attribute_sets(spec, expected)
    operations(spec, expected)
    for group in spec.get('mcast-groups', {}).get('list', []):
        name = c_name(spec['name'], 'mcgrp',
                      known('a multicast group', group)['name'])
        expected.strings[name] = group['name']
        expected.macros.add(name)
    return spec, expected


def listed(operation):
    """The attributes of an operation, each with where it is listed."""
    for call, what in operation.items():
        if call in ('do', 'dump'):
            parts = what.values()
        elif call == 'event':
            parts = [what]
        else:
            continue
        for part in parts:
            if isinstance(part, dict):
                for name in part.get('attributes', []):
                    yield call, name


def references(spec):
    """What the spec names must be in it: the faults found, as sentences."""
    faults = []
    sets = {item['name']: [attribute['name']
                           for attribute in item['attributes']]
            for item in spec['attribute-sets']}
    enums = [item['name'] for item in spec.get('definitions', [])
             if item['type'] in ('enum', 'flags')]
    consts = [item['name'] for item in spec.get('definitions', [])
              if item['type'] == 'const']
    for item in spec['attribute-sets']:
        for attribute in item['attributes']:
            where = f'{item["name"]}.{attribute["name"]}'
            if attribute.get('enum', enums[0]) not in enums:
                faults.append(f'{where}: no enum {attribute["enum"]}')
            nested = attribute.get('nested-attributes', item['name'])
            if nested not in sets:
                faults.append(f'{where}: no attribute set {nested}')
            for check, value in attribute.get('checks', {}).items():
                if isinstance(value, str) and value not in consts:
                    faults.append(f'{where}: {check} {value} is no constant')
    for item in spec['operations']['list']:
        attributes = sets.get(item.get('attribute-set'))
        if 'notify' in item:
            continue
        if attributes is None:
            faults.append(f'{item["name"]}: no attribute set of that name')
            continue
        faults += [f'{item["name"]} {call}: no {name}'
                   for call, name in listed(item) if name not in attributes]
    return faults


def unused(spec):
    """Attributes that no operation takes or gives: the faults, as sentences."""
    used = {(item.get('attribute-set'), name)
            for item in spec['operations']['list'] for _, name in listed(item)}
    nested = {attribute.get('nested-attributes')
              for item in spec['attribute-sets']
              for attribute in item['attributes']}
    return [f'{item["name"]}.{attribute["name"]}: in no operation'
            for item in spec['attribute-sets'] if item['name'] not in nested
            for attribute in item['attributes']
            if attribute['type'] != 'pad' and
            (item['name'], attribute['name']) not in used]


class Header:
    """The header as the compiler sees it."""

    def __init__(self, path, compiler):
        self.path = path
        self.compiler = compiler
        self.macros = self.read_macros()
        self.enums, self.rest = self.read_enums()

    def run(self, *arguments, source=None):
        return subprocess.run([*self.compiler, '-std=gnu11', *arguments],
                              input=source, capture_output=True, text=True,
                              timeout=60, check=True).stdout

    def read_macros(self):
        """Those that are there with the header and not without it."""
        macros = {}
        without = set(self.run('-E', '-dM', '-x', 'c', '-',
                               source='').splitlines())
        for line in self.run('-E', '-dM', '-x', 'c', self.path).splitlines():
            if line not in without:
                _, name, *value = line.split(maxsplit=2)
                macros[name] = value[0] if value else ''
        return macros

    def read_enums(self):
        """Enumerators by tag (untagged ones together), and all else."""
        text = self.run('-E', '-P', '-x', 'c', self.path)
        enums = {}

        def take(match):
            names = re.findall(r'(?:^|,)\s*(\w+)', match.group(2))
            enums.setdefault(match.group(1) or '', []).extend(names)
            return ''

        rest = re.sub(r'\benum\b\s*(\w+)?\s*\{([^}]*)\}\s*;', take, text)
        return enums, rest.strip()


def assertions(expected, header):
    """The C file, and the topic of each of its lines."""
    lines = ['/* Generated by test_spec.py from the netlink spec. */',
             f'#include "{header}"']
    topics = [None, None]
    for topic, numbers in expected.topics.items():
        for name, value in numbers.items():
            lines.append(f'_Static_assert({name} == {value}, '
                         f'"{name} is not {value}");')
            topics.append(topic)
    return '\n'.join(lines) + '\n', topics


def compile_assertions(path, compiler, topics):
    """The compiler's complaints by topic; None is a complaint of no topic."""
    # Without a limit: each topic is to hear of its own faults.
    limit = '-ferror-limit=0' if 'clang' in compiler[0] else '-fmax-errors=0'
    result = subprocess.run([*compiler, '-std=gnu11', '-Wall', '-Wextra',
                             '-Werror', '-fsyntax-only', limit, path],
                            capture_output=True, text=True, timeout=60,
                            check=False)
    complaints = {}
    for line in result.stderr.splitlines():
        match = re.match(r'(.*?):(\d+):(?:\d+:)? (?:fatal )?error: (.*)', line)
        if not match:
            continue
        topic = None
        if match.group(1) == path and int(match.group(2)) <= len(topics):
            topic = topics[int(match.group(2)) - 1]
        complaints.setdefault(topic, []).append(match.group(3))
    if result.returncode and not complaints:
        complaints[None] = result.stderr.splitlines() or ['no reason given']
    return complaints


class Ktap:
    """Results, kept until their number is known."""

    def __init__(self):
        self.lines = []
        self.titles = []
        self.failed = False

    def result(self, title, faults):
        if title in self.titles:
            faults = [*faults, 'this title is given twice']
        self.titles.append(title)
        self.lines += [f'# {fault}' for fault in faults]
        self.lines.append(f'{"not ok" if faults else "ok"} '
                          f'{len(self.titles)} {title}')
        self.failed |= bool(faults)

    def end(self):
        print('KTAP version 1')
        print(f'1..{len(self.titles)}')
        print('\n'.join(self.lines))
        return 1 if self.failed else 0


def unquoted(text):
    match = re.fullmatch(r'"([^"\\]*)"', text)
    return match.group(1) if match else None


def beyond(expected, header):
    """Faults of the header: what is there and does not follow."""
    macros = [f'macro {name}' for name in header.macros
              if name not in expected.macros and name != GUARD]

    tags = []
    for tag, names in header.enums.items():
        if tag and tag not in expected.enums:
            tags.append(f'enum {tag} does not follow from the spec')
        elif tag and set(names) != expected.enums[tag]:
            tags.append(f'enum {tag} has {", ".join(sorted(names))}')
    tags += [f'no enum {tag}' for tag in expected.enums
             if tag not in header.enums]

    numbers = expected.numbers()
    names = [name for names in header.enums.values() for name in names]
    unknown = [f'enumerator {name}' for name in names if name not in numbers]
    unknown += [f'{name} is an enumerator, not a macro' for name in names
                if name in expected.macros]
    rest = [f'declaration {header.rest}'] if header.rest else []
    return macros, tags, unknown, rest


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n', 1)[0])
    parser.add_argument('--spec', default=os.path.join(
        TOP, 'Documentation/netlink/specs/radsteer.yaml'))
    parser.add_argument('--header', default=os.path.join(
        TOP, 'include/uapi/linux/radsteer.h'))
    parser.add_argument('--cc', default=os.environ.get('CC') or 'gcc')
    parser.add_argument('--out', default=os.path.join(TOP, 'build/unit'))
    arguments = parser.parse_args()
    compiler = arguments.cc.split()
    ktap = Ktap()

    spec, expected = read_spec(arguments.spec)
    header_path = os.path.abspath(arguments.header)
    header = Header(header_path, compiler)

    os.makedirs(arguments.out, exist_ok=True)
    path = os.path.join(arguments.out, 'spec_assertions.c')
    source, topics = assertions(expected, header_path)
    with open(path, 'w', encoding='utf-8') as stream:
        stream.write(source)
    complaints = compile_assertions(path, compiler, topics)

    ktap.result('spec: what it refers to is in it', references(spec))
    ktap.result('spec: an operation has each of its attributes', unused(spec))
    ktap.result('header compiles alone, without a warning',
                complaints.get(None, []))
    ktap.result('header has the strings of the spec',
                [f'{name} is {header.macros.get(name)}, not "{value}"'
                 for name, value in expected.strings.items()
                 if unquoted(header.macros.get(name, '')) != value])
    for topic, numbers in expected.topics.items():
        ktap.result(f'header has the numbers of the spec: {topic} '
                    f'({len(numbers)})', complaints.get(topic, []))
    macros, tags, unknown, rest = beyond(expected, header)
    ktap.result('header has no macro beyond the spec', macros)
    ktap.result('header has the enums of the spec and their members', tags)
    ktap.result('header has no enumerator beyond the spec', unknown)
    ktap.result('header has no other declaration', rest)
    return ktap.end()


if __name__ == '__main__':
    try:
        sys.exit(main())
    except (SpecError, OSError, KeyError, yaml.YAMLError,
            subprocess.SubprocessError) as error:
        print(f'Bail out! {type(error).__name__}: {error}')
        for line in (getattr(error, 'stderr', None) or '').splitlines():
            print(f'# {line}')
        sys.exit(1)
