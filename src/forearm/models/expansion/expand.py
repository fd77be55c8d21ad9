"""A xacro as the elements of a URDF, and a URDF without what is left of a xacro in it.

Files that end in .urdf often hold xacro tags: whole xacros under the wrong name, and stray ones that plain readers pass
over. The first are expanded; of the second the tags are left out, and a note says so.
"""

import re
from collections.abc import Mapping
from xml.etree.ElementTree import Element, tostring

from forearm.common.folders import Folders, folders_of
from forearm.errors import ModelError, within
from forearm.models.expansion.bounds import ExpansionError
from forearm.models.expansion.document import Document
from forearm.models.xml import parse_xml

XACRO_SPACE = "http://www.ros.org/wiki/xacro"
DECLARED = re.compile(rb"xmlns:([\w.-]+)\s*=")
USED = re.compile(rb"</?([A-Za-z_][\w.-]*):|\s([A-Za-z_][\w.-]*):[\w.-]+\s*=")
MAX_SHOWN = 3  # tags that a note names


def expand_text(data: bytes, where: str, folders: Folders, args: Mapping[str, str]) -> Element:
    """The root of a xacro's text, expanded; `where` is what the file is called in messages."""
    document = Document(folders, dict(args), where)
    try:
        root = document.expand(data)
        tostring(root)  # what no XML can hold is refused here
        return root
    except ExpansionError as problem:
        said = " ".join(str(problem).split())
    except RecursionError:
        said = "its properties and macros refer to each other too deep (recursion)"
    except ModelError as problem:  # of a file that it includes
        raise ModelError(within(f"xacro cannot expand {where}{document.place}", problem)) from None
    except (TypeError, ValueError) as problem:  # of names that no element can have
        said = f"its result is not XML ({problem})"
    step = "correct the file"
    if "Package not found" in said:
        step = "put that package's folder beside the file's own package, or install it in ROS"
    elif "ndefined substitution argument" in said:
        step = "{give_value}"
    remedy = "give its value in args={...} of from_xacro"
    raise ModelError(f"xacro cannot expand {where}{document.place}: {said}; {step}", give_value=remedy)


def plain_urdf(data: bytes, where: str, folders: Folders | None) -> tuple[Element, str]:
    """The root of a URDF's text with its xacro tags expanded, or else passed over; and a note where there were some."""
    data = _declared(data)
    root = parse_xml(data, where, "robot")
    tags = dict.fromkeys(element.tag.rpartition("}")[2][:60] for element in root.iter() if _is_xacro(element))
    if not tags:
        return root, ""
    try:
        return expand_text(data, where, folders or folders_of(None), {}), "its xacro tags were expanded"
    except ModelError as problem:
        for holder in root.iter():
            holder[:] = [each for each in holder if not _is_xacro(each)]
        texts = (text for each in root.iter() for text in each.attrib.values())
        if None in (root.find("link"), root.find("joint")) or any("${" in text for text in texts):
            raise  # without its tags it is no robot
        named = ", ".join(f"<xacro:{tag}>" for tag in list(tags)[:MAX_SHOWN])
        more = f" and {len(tags) - MAX_SHOWN} more" if len(tags) > MAX_SHOWN else ""
        return root, f"passed over {named}{more}: {problem}"


def _is_xacro(element: Element) -> bool:
    return "xacro}" in element.tag or element.tag.startswith("xacro:")


def _declared(data: bytes) -> bytes:
    """A text with a declaration for every prefix that it uses and does not declare: plain readers mind none."""
    used = {name for match in USED.findall(data) for name in match if name}
    missing = sorted(used - set(DECLARED.findall(data)) - {b"xmlns", b"xml"})
    if not missing:
        return data
    spaces = b"".join(
        b' xmlns:%b="%b"' % (name, XACRO_SPACE.encode() if name == b"xacro" else b"urn:" + name) for name in missing
    )
    return re.sub(rb"<robot(?=[\s>])", lambda match: match.group() + spaces, data, count=1)
