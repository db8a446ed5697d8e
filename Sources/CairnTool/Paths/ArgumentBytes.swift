import Cairn
import Foundation

/// The command-line arguments, including bytes that are not UTF-8.
///
/// A path on Linux is a sequence of bytes, but a Swift string contains only valid Unicode: the standard
/// library replaces all other bytes. This type instead maps each of these bytes to its own scalar at the end
/// of Unicode's private use area. ``bytes(of:)`` converts the scalars back.
enum ArgumentBytes {
    private static let firstScalar: UInt32 = 0x10FF00

    /// The arguments of this process, without the name of the command.
    static var ofProcess: [String] {
        UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
            .dropFirst().map { argument in
                guard let argument else { return "" }
                let bytes = UnsafeRawBufferPointer(start: argument, count: strlen(argument))
                return text(of: Array(bytes))
            }
    }

    /// Returns the bytes as text. Each byte that is not UTF-8 is replaced by its private-use scalar.
    static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self),
            !text.unicodeScalars.contains(where: isByte)
        {
            return text
        }
        var text = String.UnicodeScalarView()
        var rest = bytes[...]
        while let first = rest.first {
            let found = (1...4).lazy.compactMap { length in scalar(of: rest.prefix(length)) }.first
            if let found, !isByte(found) {
                text.append(found)
                rest.removeFirst(UTF8.width(found))
            } else {
                if let byte = Unicode.Scalar(firstScalar + UInt32(first)) { text.append(byte) }
                rest.removeFirst()
            }
        }
        return String(text)
    }

    /// Returns the original bytes of a text that ``text(of:)`` returned.
    static func bytes(of text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            isByte(scalar)
                ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }

    /// Returns the text for display, on one line and without control characters. Bytes that are not UTF-8
    /// are shown as replacement characters.
    static func shown(_ text: String) -> String {
        VisibleText.line(String(decoding: bytes(of: text), as: UTF8.self))
    }

    private static func isByte(_ scalar: Unicode.Scalar) -> Bool {
        firstScalar...(firstScalar + 0xFF) ~= scalar.value
    }

    /// Returns the scalar that the bytes encode, or `nil` if they do not encode exactly one scalar.
    private static func scalar(of bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let scalars = String(validating: bytes, as: UTF8.self)?.unicodeScalars,
            scalars.count == 1
        else { return nil }
        return scalars.first
    }
}
