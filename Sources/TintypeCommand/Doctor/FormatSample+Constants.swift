import Foundation
import Tintype
import TintypeEXR
import TintypeJPEG2000
import TintypePDF
import TintypePNM
import TintypeTGA
import TintypeVideo

extension FormatSample {
    /// The images of formats that are only read: one of 1×1 pixel for icons, and otherwise of 16×16 pixels, in #3090c0.
    static let constants: [ImageFormat: Data] = [
        .svg: Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect width="16" height="16" fill="#3090c0"/></svg>
            """.utf8),
        .ico: Data(icon),
        .pnm: Data("P3 16 16 255".utf8) + Data(String(repeating: " 48 144 192", count: 256).utf8) + Data("\n".utf8),
        .tga: Data(targa),
        .pdf: Data(page.utf8),
        .jpeg2000: Data(base64Encoded: jpeg2000) ?? Data(),
        .exr: Data(base64Encoded: openEXR) ?? Data(),
        .mp4: Data(base64Encoded: mp4) ?? Data(),
        .quickTime: Data(base64Encoded: quickTime) ?? Data(),
        .webm: Data(base64Encoded: webm) ?? Data(),
    ]

    /// The directory with one entry; the header of a bitmap of one pixel, whose height counts the mask too; its pixel
    /// in the order of blue, green, red and alpha; the mask.
    private static let icon: [UInt8] = [
        0, 0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 32, 0, 48, 0, 0, 0, 22, 0, 0, 0,
        40, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0,
        0xC0, 0x90, 0x30, 0xFF, 0, 0, 0, 0,
    ]

    /// The header of 24 bits with run lengths, two runs of 128 pixels, and the footer.
    private static let targa: [UInt8] =
        [0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 16, 0, 24, 0x20]
        + [0xFF, 0xC0, 0x90, 0x30, 0xFF, 0xC0, 0x90, 0x30] + [UInt8](repeating: 0, count: 8)
        + Array("TRUEVISION-XFILE.\0".utf8)

    /// A page without a table of references, which readers then make themselves.
    private static let page = """
        %PDF-1.4
        1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj
        2 0 obj <</Type/Pages/Kids[3 0 R]/Count 1>> endobj
        3 0 obj <</Type/Page/Parent 2 0 R/MediaBox[0 0 16 16]/Contents 4 0 R>> endobj
        4 0 obj <</Length 38>> stream
        .18824 .56471 .75294 rg 0 0 16 16 re f
        endstream endobj
        trailer <</Root 1 0 R>>
        %%EOF

        """

    /// A codestream that opj_compress wrote.
    private static let jpeg2000 = """
        /0//UQAvAAAAAAAQAAAAEAAAAAAAAAAAAAAAEAAAABAAAAAAAAAAAAADBwEBBwEBBwEB/1IADAAAAAEBAAQEAAH/XAAEQED/ZAAlAAFDcmVhdGVk\
        IGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjD/kAAKAAAAAAArAAH/k8D4RhQAXK/0x8fUDhQAXK/fSH/PtBwRUFSv30h//9k=
        """

    /// An image that the C++ library of OpenEXR wrote.
    private static let openEXR = """
        di8xAQIAAABjaGFubmVscwBjaGxpc3QANwAAAEIAAQAAAAAAAAABAAAAAQAAAEcAAQAAAAAAAAABAAAAAQAAAFIAAQAAAAAAAAABAAAAAQAAAABj\
        b21wcmVzc2lvbgBjb21wcmVzc2lvbgABAAAAA2RhdGFXaW5kb3cAYm94MmkAEAAAAAAAAAAAAAAADwAAAA8AAABkaXNwbGF5V2luZG93AGJveDJp\
        ABAAAAAAAAAAAAAAAA8AAAAPAAAAbGluZU9yZGVyAGxpbmVPcmRlcgABAAAAAHBpeGVsQXNwZWN0UmF0aW8AZmxvYXQABAAAAAAAgD9zY3JlZW5X\
        aW5kb3dDZW50ZXIAdjJmAAgAAAAAAAAAAAAAAHNjcmVlbldpbmRvd1dpZHRoAGZsb2F0AAQAAAAAAIA/dHlwZQBzdHJpbmcADQAAAHNjYW5saW5l\
        aW1hZ2UAXgEAAAAAAAAAAAAAMQAAAHhes2hABfvQ+LPR+Opo/FH1qGBUPSoYaupr0PjFaPyJaPxR9ahgVD0qGOzqAd8A/8Y=
        """

    /// A frame of H.264 in MP4 that FFmpeg wrote.
    private static let mp4 = """
        AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAAL0bW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAAAD6AAAA+gAAQAAAQAAAAAAAAAAAAAAAAEA\
        AAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAkN0cmFrAAAAXHRraGQAAAADAAAAAAAA\
        AAAAAAABAAAAAAAAA+gAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAABAAAAAQAAAAAAAkZWR0cwAAABxl\
        bHN0AAAAAAAAAAEAAAPoAAAAAAABAAAAAAG7bWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAABAAAAAQABVxAAAAAAALWhkbHIAAAAAAAAAAHZpZGUAAAAA\
        AAAAAAAAAABWaWRlb0hhbmRsZXIAAAABZm1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAA\
        ASZzdGJsAAAAwnN0c2QAAAAAAAAAAQAAALJhdmMxAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAABAAEABIAAAASAAAAAAAAAABDExhdmMgbGlieDI2NAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAGP//AAAAOGF2Y0MBZAAK/+EAG2dkAAqs2V7AWoEBAyAAAAMAIAAAAwBB4kSywAEABmjr4Fssi/34+AAAAAAQcGFzcAAA\
        AAEAAAABAAAAFGJ0cnQAAAAAAAAAwAAAAMAAAAAYc3R0cwAAAAAAAAABAAAAAQAAQAAAAAAcc3RzYwAAAAAAAAABAAAAAQAAAAEAAAABAAAAFHN0c3oA\
        AAAAAAAAGAAAAAEAAAAUc3RjbwAAAAAAAAABAAADJAAAAD11ZHRhAAAANW1ldGEAAAAAAAAAIWhkbHIAAAAAAAAAAG1kaXJhcHBsAAAAAAAAAAAAAAAA\
        CGlsc3QAAAAIZnJlZQAAACBtZGF0AAAAFGWIhABP/u6CvgUwK2/BgKuxi7jB
        """

    /// The same in QuickTime.
    private static let quickTime = """
        AAAAFGZ0eXBxdCAgAAACAHF0ICAAAALPbW9vdgAAAGxtdmhkAAAAAAAAAAAAAAAAAAAD6AAAA+gAAQAAAQAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAA\
        AAABAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAlt0cmFrAAAAXHRraGQAAAADAAAAAAAAAAAAAAABAAAAAAAA\
        A+gAAAAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAABAAAAAABAAAAAQAAAAAAAkZWR0cwAAABxlbHN0AAAAAAAAAAEA\
        AAPoAAAAAAABAAAAAAHTbWRpYQAAACBtZGhkAAAAAAAAAAAAAAAAAABAAAAAQAB//wAAAAAALWhkbHIAAAAAbWhscnZpZGUAAAAAAAAAAAAAAAAMVmlk\
        ZW9IYW5kbGVyAAABfm1pbmYAAAAUdm1oZAAAAAEAAAAAAAAAAAAAACxoZGxyAAAAAGRobHJ1cmwgAAAAAAAAAAAAAAAAC0RhdGFIYW5kbGVyAAAAJGRp\
        bmYAAAAcZHJlZgAAAAAAAAABAAAADHVybCAAAAABAAABEnN0YmwAAACuc3RzZAAAAAAAAAABAAAAnmF2YzEAAAAAAAAAAQAAAABGRk1QAAACAAAAAgAA\
        EAAQAEgAAABIAAAAAAAAAAEMTGF2YyBsaWJ4MjY0AAAAAAAAAAAAAAAAAAAAAAAAAAAY//8AAAA4YXZjQwFkAAr/4QAbZ2QACqzZXsBagQEDIAAAAwAg\
        AAADAEHiRLLAAQAGaOvgWyyL/fj4AAAAABBwYXNwAAAAAQAAAAEAAAAYc3R0cwAAAAAAAAABAAAAAQAAQAAAAAAcc3RzYwAAAAAAAAABAAAAAQAAAAEA\
        AAABAAAAFHN0c3oAAAAAAAAAGAAAAAEAAAAUc3RjbwAAAAAAAAABAAAC8wAAAAh3aWRlAAAAIG1kYXQAAAAUZYiEAE/+7oK+BTArb8GAq7GLuME=
        """

    /// A frame of VP8.
    private static let webm = """
        GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAHIEU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZUrmtTrIHGTbuMU6uE\
        ElTDZ1OsggEXTbuMU6uEHFO7a1OsggGy7AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmoCrXsYMPQkBNgIRMYXZmV0GETGF2ZkSJiECPQAAAAAAAFlSua8yuAQAAAAAAAEPX\
        gQFzxYgAAAAAAAAAAZyBACK1nIN1bmSIgQCGhVZfVlA4g4EBI+ODhDuaygDglLCBELqBEJqBAlWwiFWxgQZVuYEBElTDZ9Fzc85jwItjxYgAAAAAAAAA\
        AWfImEWjh0VOQ09ERVJEh4tMYXZjIGxpYnZweGfIokWjiERVUkFUSU9ORIeUMDA6MDA6MDEuMDAwMDAwMDAwAAAfQ7Z1wOeBAKO7gQAAgPACAJ0BKhAA\
        EAAARwiFhYiZhIgCAgJ1qgP4A/oCDU22AP7rjl/+FKyUA9/4U1/9Ezkc73f9DcAcU7trkbuPs4EAt4r3gQHxggFt8IED
        """
}
