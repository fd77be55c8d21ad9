"""The elements of a xacro, expanded: macros, properties, conditions, blocks, includes.

As xacro has it: https://github.com/ros/xacro/wiki. Nothing is run: expressions are interpreted
(`expressions.py`), files are read below the robot's own folders only, and all of it is bounded (`bounds.py`).
Text between elements means nothing in a URDF and is left out, as comments are.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from forearm.common.folders import Folders
from forearm.models.expansion.bounds import MAX_DEPTH, Bounds, ExpansionError
from forearm.models.expansion.scope import Macro, Scope, truth
from forearm.models.expansion.texts import Texts
from forearm.models.xml import parse_part

XACRO = "xacro:"
# The first parameter of a macro: its name, and perhaps what it is where none is given.
VALUE = r"""\$\{.*?\}|\$\(.*?\)|(?:'.*?'|".*?"|[^\s'"]+)+|"""
PARAMETER = re.compile(r"^\s*([^\s:=]+?)\s*:?=\s*(\^\|?)?(" + VALUE + r")(?:\s+|$)(.*)", re.DOTALL)
MAX_PARAMETERS = 4_000  # characters
WILD = re.compile(r"[*\[?]")


class Document:
    """A xacro that is being expanded."""

    def __init__(self, folders: Folders, args: dict[str, str], name: str) -> None:
        self.folders, self.bounds = folders, Bounds()
        self.texts = Texts(folders, dict(args), self.bounds)
        self.names = [name]  # of the files that are being read
        self.depth = 0
        self.handlers: dict[str, Callable[[Element, Element, Scope], None]] = {
            "arg": self._arg,
            "attribute": self._attribute,
            "call": self._call,
            "element": self._element,
            "if": self._if,
            "include": self._include,
            "insert_block": self._insert_block,
            "macro": self._macro,
            "property": self._property,
            "unless": self._if,
        }

    def expand(self, data: bytes) -> Element:
        """The root of a document's text, expanded."""
        root = _prefixed(data, parse_part(data, self.names[-1]))
        scope = Scope(self.texts.value)
        made = self._copy(root, scope)
        self._children(root, made, scope)
        return made

    @property
    def place(self) -> str:
        """In which included file it is, in words; nothing for the document itself."""
        return f" (in {self.names[-1]})" if len(self.names) > 1 else ""

    # -- elements --------------------------------------------------------------------------------

    def _children(self, source: Element, into: Element, scope: Scope) -> None:
        """Expands what an element holds into another."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise ExpansionError(f"macros and elements nest more than {MAX_DEPTH} deep; is there one without an end?")
        for child in list(source):
            self.bounds.element()
            if child.tag.startswith(XACRO):
                handler = self.handlers.get(child.tag.removeprefix(XACRO), self._macro_call)
                handler(child, into, scope)
            else:
                made = self._copy(child, scope)
                into.append(made)
                self._children(child, made, scope)
        self.depth -= 1

    def _copy(self, element: Element, scope: Scope) -> Element:
        """An element with its attributes evaluated, and nothing in it."""
        kept = {name: text for name, text in element.attrib.items() if not name.startswith(XACRO)}
        for name, text in kept.items():
            self.bounds.made(name + text)
        return Element(element.tag, {name: self.texts.text(text, scope) for name, text in kept.items()})

    def _if(self, element: Element, into: Element, scope: Scope) -> None:
        text = _needed(element, "value")
        if truth(self.texts.value(text, scope), text) == (element.tag == f"{XACRO}if"):
            self._children(element, into, scope)

    def _element(self, element: Element, into: Element, scope: Scope) -> None:
        name = self.texts.text(_needed(element, f"{XACRO}name"), scope)
        renamed = Element(name, element.attrib)
        renamed.extend(list(element))
        holder = Element("holder")
        holder.append(renamed)
        self._children(holder, into, scope)

    def _attribute(self, element: Element, into: Element, scope: Scope) -> None:
        name, value = (self.texts.text(_needed(element, key), scope) for key in ("name", "value"))
        into.set(name, value)

    def _arg(self, element: Element, _: Element, scope: Scope) -> None:
        name, default = _needed(element, "name"), _needed(element, "default")
        if name not in self.texts.args:
            self.texts.args[name] = self.texts.text(default, scope)

    # -- properties and blocks -------------------------------------------------------------------

    def _property(self, element: Element, _: Element, scope: Scope) -> None:
        name = self.texts.text(_needed(element, "name"), scope)
        if not name.isidentifier() or name.startswith("__"):
            raise ExpansionError(f"the property '{name[:60]}' has a name that expressions cannot use")
        value, default = element.get("value"), element.get("default")
        remove = truth(self.texts.value(element.get("remove", "false"), scope), "remove")
        if (value is not None) + (default is not None) + remove > 1:
            raise ExpansionError(f"the property '{name}' has more than one of value, default and remove")
        if remove:
            scope.remove(name)
            return
        if default is not None:
            if name in scope:
                return
            value = default
        lazy = truth(self.texts.value(element.get("lazy_eval", "true"), scope), "lazy_eval")
        home, shared = scope, element.get("scope")
        if shared == "global":
            home, lazy = scope.top(), False
        elif shared == "parent" and scope.parent is not None:
            home, lazy = scope.parent, False
            while not scope.is_namespace and home.is_namespace and home.parent is not None:
                home = home.parent
        if value is None:
            home.put(f"**{name}", element, False)
        else:
            home.put(name, value if lazy else self.texts.value(value, scope), lazy)

    def _insert_block(self, element: Element, into: Element, scope: Scope) -> None:
        name = _needed(element, "name")
        if f"**{name}" in scope:
            self._children(scope[f"**{name}"], into, scope)
        elif f"*{name}" in scope:
            holder = Element("holder")
            holder.append(scope[f"*{name}"])
            self._children(holder, into, scope)
        else:
            raise ExpansionError(f"the block '{name[:60]}' is not defined")

    # -- macros ----------------------------------------------------------------------------------

    def _macro(self, element: Element, _: Element, scope: Scope) -> None:
        name = _needed(element, "name").removeprefix(XACRO)
        if name == "call" or "." in name:
            raise ExpansionError(f"a macro is named '{name[:60]}'; choose another name, without dots")
        rest, params = element.get("params", ""), []
        if len(rest) > MAX_PARAMETERS:
            raise ExpansionError(f"macro '{name[:60]}' has parameters of more than {MAX_PARAMETERS:,} characters")
        defaults: dict[str, tuple[str | None, str | None]] = {}
        while rest.strip():
            match = PARAMETER.match(rest)
            if match is None:
                param, *more = rest.split(None, 1)
                rest = more[0] if more else ""
            else:
                param, forward, default, rest = match.groups()
                defaults[param] = (param if forward else None, default or None)
            params.append(param)
        scope.macros[name] = Macro(element, params, defaults)

    def _call(self, element: Element, into: Element, scope: Scope) -> None:
        name = self.texts.text(_needed(element, "macro"), scope)
        renamed = Element(f"{XACRO}{name}", {key: text for key, text in element.attrib.items() if key != "macro"})
        renamed.extend(list(element))
        self._macro_call(renamed, into, scope)

    def _macro_call(self, element: Element, into: Element, scope: Scope) -> None:
        name = element.tag.removeprefix(XACRO)
        found = scope.macro(name)
        if found is None:
            raise ExpansionError(f"unknown macro name: {element.tag[:60]}")
        seen, macro = found
        inner = Scope(self.texts.value, seen)
        missing = list(macro.params)
        for key, text in element.attrib.items():
            if key not in missing:
                raise ExpansionError(f"macro '{name}' has no parameter '{key[:60]}'")
            missing.remove(key)
            inner.put(key, self.texts.value(text, scope), False)
        blocks = Element("blocks")
        self._children(element, blocks, scope)
        waiting = list(blocks)
        for param in [each for each in missing if each.startswith("*")]:
            if not waiting:
                raise ExpansionError(f"macro '{name}' is not given the block '{param.lstrip('*')}'")
            missing.remove(param)
            inner.put(param, waiting.pop(0), False)
        if waiting:
            raise ExpansionError(f"macro '{name}' is given a block <{str(waiting[0].tag)[:60]}> that it does not take")
        for param in missing:
            inner.put(param, self._default(name, macro, param, scope), False)
        self._children(macro.body, into, inner)

    def _default(self, name: str, macro: Macro, param: str, scope: Scope) -> Any:
        """What a parameter is that the caller does not give."""
        forward, default = macro.defaults.get(param, (None, None))
        if forward is not None and forward in scope:
            return scope[forward]
        if default is None:
            raise ExpansionError(f"macro '{name}' is not given '{param}'")
        return self.texts.value(default, scope)

    # -- includes --------------------------------------------------------------------------------

    def _include(self, element: Element, into: Element, scope: Scope) -> None:
        space = scope
        if "ns" in element.attrib:
            name = self.texts.text(element.attrib["ns"], scope)
            space = scope.spaces[name] = Scope(self.texts.value, scope, is_namespace=True)
            scope.put(name, space, False)
        optional = truth(self.texts.value(element.get("optional", "false"), scope), "optional")
        named = self.texts.text(_needed(element, "filename"), scope)
        for path in self._included(named):
            if optional and not os.path.exists(path):
                continue
            data = self.texts.read(path, "xacro")
            part = _prefixed(data, parse_part(data, path.name))
            self.texts.files.append(path)
            self.names.append(path.name)
            self._children(part, into, space)
            self.names.pop()
            self.texts.files.pop()

    def _included(self, named: str) -> Iterator[Path]:
        """The files that an include names; only the last part of a path may stand for several."""
        path = self.texts.beside(named)
        if not WILD.search(named):
            yield path
        elif WILD.search(str(path.parent)):
            raise ExpansionError(f"the include '{named[:60]}' has wild cards in its folders; only the last part may")
        else:
            yield from sorted(self.folders.admit(path.parent, "xacro").glob(path.name))


def _prefixed(data: bytes, root: Element) -> Element:
    """The tree with xacro's own elements and attributes written `xacro:name`, whatever their namespace is called."""
    known = {match.decode("utf-8", "replace") for match in re.findall(rb"xmlns:xacro\s*=\s*[\"']([^\"']*)", data)}
    starts = {f"{{{uri}}}": XACRO for uri in known}

    def prefixed(name: str) -> str:
        space, brace, plain = name.rpartition("}")
        return starts[space + brace] + plain if space + brace in starts else name

    for element in root.iter():
        element.tag = prefixed(element.tag)
        if any(name.startswith("{") for name in element.attrib):
            renamed = {prefixed(name): text for name, text in element.attrib.items()}
            element.attrib.clear()
            element.attrib.update(renamed)
    return root


def _needed(element: Element, key: str) -> str:
    text = element.get(key)
    if text is None:
        raise ExpansionError(f"<{element.tag[:60]}> has no attribute '{key}'")
    return text
