"""Rows R: transforms of an RGBA image of 12 megapixels. Idle cores help, which processor time does not show."""

from . import checks
from .rows import Ours, Peer, Row, Value, time_of

IMAGE = ("{folder}/glass.rgba", "4000", "3000")


def ours(name, side="ours"):
    return Ours("transform", side, (*IMAGE, name))


def pillow(name, simd=False):
    return Peer("pillow_transform", (*IMAGE, name), simd)


def row(id_, text, name, target, most, mean, crop=0):
    """A transform beside Pillow's, with its pixels."""
    return Row(id_, text, ours(name), pillow(name), "Pillow", target,
               check=checks.same(ours(name), pillow(name), most, mean, crop))


def wall(id_, text, name, target):
    return Row(id_, text, ours(name), pillow(name), "Pillow", target, part="wall")


def against(id_, text, name, task, peer_name, target, needs):
    return Row(id_, text, ours(name), Peer(task, (*IMAGE, name)), peer_name, target, needs=(needs,))


def simd(id_, text, name, target):
    return Row(id_, text, ours(name), pillow(name, True), "Pillow-SIMD", target, needs=("pillow-simd",))


ROWS = [
    row("R1", "Lanczos to 320 × 240", "resize", 1 / 8, 6, 0.3),
    simd("R1 SIMD", "Lanczos to 320 × 240", "resize", 1 / 1.2),
    against("R1 vips", "Lanczos to 320 × 240", "resize", "vips_transform", "pyvips, premultiplied before", 1 / 10,
            "pyvips"),
    against("R1 OpenCV", "Lanczos to 320 × 240", "resize", "cv2_transform", "OpenCV, INTER_AREA", 1.0,
            "opencv-python-headless"),
    row("R1 half", "Lanczos to 2048 × 1536", "halve", 1 / 8, 6, 0.3),
    wall("R1 half wall", "the same, elapsed time", "halve", 1 / 8),
    simd("R1 half SIMD", "Lanczos to 2048 × 1536", "halve", 1 / 1.2),
    against("R1 half vips", "Lanczos to 2048 × 1536", "halve", "vips_transform", "pyvips, premultiplied before", 1 / 10,
            "pyvips"),
    row("R2", "blur, standard deviation 2", "blur2", 1 / 8, 6, 0.6),
    wall("R2 wall", "the same, elapsed time", "blur2", 1 / 8),
    row("R2 wide", "blur, standard deviation 64", "blur64", 1 / 8, 6, 0.6),
    Row("R2 radius", "blur, standard deviation 64, compared with 2", ours("blur64"), ours("blur2"), "the smaller one",
        1.1),
    simd("R2 SIMD", "blur, standard deviation 2", "blur2", 1 / 2),
    against("R2 OpenCV", "blur, standard deviation 30", "blur30", "cv2_transform", "OpenCV", 1 / 8,
            "opencv-python-headless"),
    against("R2 vips", "blur, standard deviation 30", "blur30", "vips_transform", "pyvips", 1 / 8, "pyvips"),
    Row("R3", "premultiply in place", ours("premultiply"), ours("premultiply", "memcpy"), "memcpy of the same bytes",
        1 / 0.8),
    Row("R3 back", "unpremultiply", ours("unpremultiply"), pillow("unpremultiply"), "Pillow", 1 / 2),
    row("R4 30°", "rotation by 30°", "rotate30", 1 / 10, 255, 0.6, crop=2),
    wall("R4 wall", "the same, elapsed time", "rotate30", 1 / 10),
    row("R4 90°", "rotation by 90°", "rotate90", 1.0, 0, 0.0),
    row("R5 grey", "grey", "grey", 1 / 4, 2, 0.6),
    Value("R5 grey time", "grey", time_of("transform", "ours", *IMAGE, "grey", unit=1e3), "ms", 9),
    row("R5 invert", "invert", "invert", 1 / 4, 2, 0.6),
    Value("R5 invert time", "invert", time_of("transform", "ours", *IMAGE, "invert", unit=1e3), "ms", 9),
    row("R5 sepia", "sepia", "sepia", 1 / 4, 2, 0.6),
    Value("R5 sepia time", "sepia", time_of("transform", "ours", *IMAGE, "sepia", unit=1e3), "ms", 9),
    row("R6 flip", "flip", "flip", 1.0, 0, 0.0),
    row("R6 crop", "crop to 2000 × 1500", "crop", 1.05, 0, 0.0),
    row("R6 flatten", "flatten on white", "flatten", 1 / 4, 2, 0.6),
    Row("R6 sharpen", "unsharp mask, standard deviation 2", ours("sharpen"), pillow("sharpen"), "Pillow", 1 / 4),
    Row("R6 chain", "tint, round corners and flatten as a chain", ours("chain"), ours("chain", "steps"),
        "one after the other", 1.0),
]
