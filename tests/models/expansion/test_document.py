"""Expanding elements: the same trees that the xacro package makes of them, and bounds on what a file may ask for."""

from xml.etree import ElementTree

import pytest

from forearm.common.folders import folders_of
from forearm.errors import ModelError
from forearm.models.expansion.document import Document
from forearm.models.xacro import expand, from_xacro

NAMESPACE = 'xmlns:xacro="http://www.ros.org/wiki/xacro"'


def document(content):
    return f'<robot name="arm" {NAMESPACE}>{content}</robot>'


def shape_of(element):
    """A tree without blanks, numbers as numbers."""
    words = [number_or_text(word) for word in (element.text or "").split()]
    attributes = sorted((name, [number_or_text(word) for word in text.split()]) for name, text in element.items())
    return element.tag, attributes, words, [shape_of(child) for child in element]


def number_or_text(word):
    try:
        return float(word)
    except ValueError:
        return word


SAME = {
    "property": '<xacro:property name="a" value="2"/><l v="${a*2}" w="${a}x" u="$${a}" t="a$b"/>',
    "lazy property": '<xacro:property name="b" value="${a+1}"/><xacro:property name="a" value="2"/><l v="${b}"/>',
    "early property": '<xacro:property name="a" value="2"/><xacro:property name="b" value="${a}" lazy_eval="false"/>'
    '<xacro:property name="a" value="3"/><l v="${b}${a}"/>',
    "quoted number": "<xacro:property name=\"a\" value=\"'2'\"/><l v=\"${a*2}\" w=\"${a == '2'}\"/>",
    "truths": '<xacro:property name="t" value="true"/><xacro:if value="${t}"><l/></xacro:if>'
    '<xacro:unless value="${not t}"><m/></xacro:unless><xacro:if value="0"><n/></xacro:if>',
    "default property": '<xacro:property name="a" value="1"/><xacro:property name="a" default="2"/>'
    '<xacro:property name="c" default="3"/><l v="${a}${c}"/>',
    "macro": '<xacro:macro name="m" params="x y:=${2*x} z=3 *blk **all"><l x="${x}" z="${z}"/>'
    '<xacro:insert_block name="blk"/><xacro:insert_block name="all"/></xacro:macro>'
    '<xacro:property name="x" value="5"/><xacro:m x="1"><o v="${x}"/><q><r/><s/></q></xacro:m>',
    "macro in a macro": '<xacro:macro name="out" params="n"><xacro:macro name="in" params="k"><l n="${n}${k}"/>'
    '</xacro:macro><xacro:in k="${n+1}"/></xacro:macro><xacro:out n="1"/><xacro:out n="4"/>',
    "forwarded": '<xacro:property name="p" value="8"/><xacro:macro name="m" params="p:=^ q:=^|9"><l v="${p} ${q}"/>'
    "</xacro:macro><xacro:m/>",
    "quoted default": """<xacro:macro name="m" params="a:='x y' b:=${1 + 2} c"><l v="${a}|${b}|${c}"/></xacro:macro>
    <xacro:m c="7"/>""",
    "scope": '<xacro:macro name="m" params=""><xacro:property name="g" value="1" scope="global"/>'
    '<xacro:property name="p" value="2" scope="parent"/></xacro:macro><xacro:m/><l v="${g}${p}"/>',
    "recursion": '<xacro:macro name="m" params="n"><xacro:if value="${n > 0}"><l n="${n}"/><xacro:m n="${n-1}"/>'
    '</xacro:if></xacro:macro><xacro:m n="5"/>',
    "call": '<xacro:macro name="m" params="n"><l n="${n}"/></xacro:macro><xacro:property name="w" value="m"/>'
    '<xacro:call macro="${w}" n="3"/>',
    "element": '<xacro:element xacro:name="${\'l\' + \'ink\'}" a="1"><b/></xacro:element>',
    "attribute": '<l><xacro:attribute name="${\'n\'}" value="x${1+1}"/></l>',
    "arg": '<xacro:arg name="s" default="${2*3}"/><l v="$(arg s)" w="${$(arg s) + 1}" e="$(eval s + 2)"/>',
    "block property": '<xacro:property name="b"><o/><p v="${k}"/></xacro:property><xacro:property name="k" value="4"/>'
    '<l><xacro:insert_block name="b"/></l>',
    "lists": '<xacro:property name="xs" value="${[1, 2, 3]}"/><l v="${xs[1]}" w="${len(xs)}" u="${xs}"/>',
    "dictionary": "<xacro:property name=\"d\" value=\"${dict(a=1, b=dict(c=2))}\"/><l v=\"${d['b']['c']}\"/>",
    "removed": '<xacro:property name="a" value="1"/><xacro:property name="a" remove="true"/>'
    '<xacro:property name="a" default="6"/><l v="${a}"/>',
    "tokenize": "<l v=\"${xacro.tokenize('a,b;c d')[2]}\"/>",
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_elements_are_expanded_as_the_xacro_package_does(name):
    judge = pytest.importorskip("xacro")
    text = document(SAME[name])
    tree = judge.parse(text)
    judge.process_doc(tree, mappings={})
    expected = ElementTree.fromstring(tree.toxml())
    assert shape_of(ElementTree.fromstring(expand(text, {})[0])) == shape_of(expected)
    assert len(expected)


def test_included_names_may_have_a_namespace_and_values_come_from_yaml(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "limits.yaml").write_text("arm:\n  lower: !degrees -90\n  sizes: [1, 2.5]\n")
    (tmp_path / "part.xacro").write_text(
        document(
            '<xacro:property name="y" value="${xacro.load_yaml(\'limits.yaml\')}"/>'
            '<xacro:macro name="m" params="n"><l n="${n}" v="${y.arm.sizes[1]}"/></xacro:macro>'
        )
    )
    include = '<xacro:include filename="part.xacro" ns="p"/><xacro:p.m n="1"/><l v="${p.y[\'arm\'][\'lower\']}"/>'
    root = Document(folders_of(tmp_path / "arm.xacro"), {}, "arm.xacro").expand(document(include).encode())
    assert [child.attrib for child in root] == [{"n": "1", "v": "2.5"}, {"v": "-1.5707963267948966"}]


def test_files_that_may_be_missing_are_left_out_and_wild_cards_name_several(tmp_path):
    for name in ("b", "a"):
        (tmp_path / f"{name}.xacro").write_text(document(f'<l n="{name}"/>'))
    text = document('<xacro:include filename="gone.xacro" optional="true"/><xacro:include filename="*.xacro"/>')
    root = Document(folders_of(tmp_path / "arm"), {}, "arm").expand(text.encode())
    assert [child.get("n") for child in root] == ["a", "b"]


DOUBLED = "".join(f'<xacro:property name="p{k}" value="${{[p{k - 1}, p{k - 1}]}}"/>' for k in range(1, 60))
DOUBLED_TEXT = "".join(f'<xacro:property name="p{k}" value="${{p{k - 1}}}${{p{k - 1}}}"/>' for k in range(1, 60))
DOUBLED_MACRO = "".join(
    f'<xacro:macro name="m{k}"><xacro:m{k - 1}/><xacro:m{k - 1}/></xacro:macro>' for k in range(1, 40)
)
WITHOUT_BOUND = {
    "doubled lists": '<xacro:property name="p0" value="${[1]}"/>' + DOUBLED + '<l v="${p59}"/>',
    "doubled texts": '<xacro:property name="p0" value="x"/>' + DOUBLED_TEXT + '<l v="${p59}"/>',
    "doubled macros": '<xacro:macro name="m0"><l/></xacro:macro>' + DOUBLED_MACRO + "<xacro:m39/>",
    "doubled blocks": '<xacro:macro name="m" params="n **b"><xacro:if value="${n &lt; 60}"><xacro:m n="${n + 1}"><a>'
    '<xacro:insert_block name="b"/><xacro:insert_block name="b"/></a></xacro:m></xacro:if></xacro:macro>'
    '<xacro:m n="0"><a><l/></a></xacro:m>',
    "endless macro": '<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>',
    "a ring of properties": '<xacro:property name="a" value="${b}"/>'
    '<xacro:property name="b" value="${a}"/><l v="${a}"/>',
    "a long chain of properties": "".join(f'<xacro:property name="c{k}" value="${{c{k + 1}}}"/>' for k in range(3000))
    + '<l v="${c0}"/>',
    "a power": '<link name="${7**7**12}"/>',
    "a long text": "<link name=\"${'a' * 10**11}\"/>",
    "many steps": '<xacro:macro name="m" params="n"><xacro:if value="${n > 0}"><l v="${' + "1+" * 50 + '1}"/>'
    '<xacro:m n="${n-1}"/><xacro:m n="${n-1}"/></xacro:if></xacro:macro><xacro:m n="30"/>',
    "many wild parameters": '<xacro:macro name="m" params="' + "a " * 3000 + '"/>',
    "wide elements": '<xacro:macro name="m"><l '
    + " ".join(f'a{k}="1"' for k in range(3000))
    + "/></xacro:macro>"
    + "<xacro:m/>" * 2000,
    "a wild card in a folder": '<xacro:include filename="/*/*/*/*.xacro"/>',
}


@pytest.mark.parametrize("name", WITHOUT_BOUND)
def test_a_document_without_bound_is_stopped_in_one_line(name):
    with pytest.raises(ModelError, match="xacro cannot expand the xacro text") as caught:
        from_xacro(document(WITHOUT_BOUND[name]))
    assert "\n" not in str(caught.value)


def test_the_included_file_is_named(tmp_path):
    (tmp_path / "part.xacro").write_text(document('<l v="${1/0}"/>'))
    path = tmp_path / "arm.xacro"
    path.write_text(document('<xacro:include filename="part.xacro"/>'))
    with pytest.raises(ModelError, match=r"xacro cannot expand arm.xacro \(in part.xacro\): '1/0' has no value"):
        from_xacro(path)


HOSTILE_YAML = {
    "merged keys": "a: &a {k: 1}\nb: {<<: *a}\n",
    "doubled": "a0: &a0 [1]\n" + "".join(f"a{k}: &a{k} [*a{k - 1}, *a{k - 1}]\n" for k in range(1, 40)),
    "a ring": "a: &a [*a]\n",
    "python": "a: !!python/object/apply:os.getcwd []\n",
    "deep": "[" * 3000,
    "digits": "a: " + "9" * 6000,
    "no YAML": "a: [1\nb: 2}",
    "a unit of nothing": "a: !degrees what",
}


@pytest.mark.parametrize("name", HOSTILE_YAML)
def test_yaml_that_is_no_plain_data_is_refused(name, tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "a.yaml").write_text(HOSTILE_YAML[name])
    path = tmp_path / "arm.xacro"
    path.write_text(document("<l v=\"${load_yaml('a.yaml')}\"/>"))
    with pytest.raises(ModelError, match=r"xacro cannot expand arm.xacro"):
        from_xacro(path)


def test_a_link_may_not_lead_yaml_outside(tmp_path):
    (tmp_path / "secret.yaml").write_text("a: 1")
    (tmp_path / "robot").mkdir()
    path = tmp_path / "robot" / "arm.xacro"
    path.write_text(document("<l v=\"${load_yaml('../secret.yaml')}\"/>"))
    with pytest.raises(ModelError, match="lies outside of the folders"):
        from_xacro(path)


@pytest.mark.parametrize("name", ["{", "{a", "a b", "<", "", "${[1]}", "}", "a:b:c", "&amp;", "1"])
def test_names_that_no_element_has_are_refused(name):
    for text in (f'<xacro:element xacro:name="{name}"/>', f'<l><xacro:attribute name="{name}" value="1"/></l>'):
        with pytest.raises(ModelError):
            from_xacro(
                document(text.replace("<l>", '<link name="l">').replace("</l>", "</link>").replace('"<"', '"&lt;"'))
            )


def test_a_macro_may_call_itself_ninety_times():
    again = '<xacro:if value="${n > 0}"><l/><xacro:m n="${n - 1}"/></xacro:if>'
    row = f'<xacro:macro name="m" params="n">{again}</xacro:macro>'
    assert expand(document(row + '<xacro:m n="90"/>'), {})[0].count("<l") == 90
