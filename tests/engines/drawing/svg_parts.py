"""Reading pictures in tests: one group of a drawing, its classes and its words."""

from xml.etree import ElementTree as ET


def group(picture: ET.Element, name: str, value: str) -> ET.Element:
    """Return the one group with this attribute."""
    (found,) = [part for part in picture.iter() if part.get(name) == value]
    return found


def classes(part: ET.Element) -> list[str]:
    """Return the classes of all shapes of a group in drawing order."""
    return [shape.attrib["class"] for shape in part.iter() if "class" in shape.attrib]


def texts(part: ET.Element) -> list[str]:
    """Return what is written in a group."""
    return [shape.text or "" for shape in part.iter() if shape.tag.endswith("}text")]
