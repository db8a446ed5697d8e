import Foundation

/// The arguments of the command, without loss of bytes.
///
/// A path on Linux is a sequence of bytes, and a Swift string holds UTF-8 only: the standard library
/// replaces all other bytes. Here each of them becomes a scalar of its own at the end of Unicode's private
/// use, from which ``bytes(of:)`` gets it back.
enum ArgumentBytes {
    private static let firstScalar: UInt32 = 0x10FF00

    /// The arguments of this process, without the command's own name.
    static var ofProcess: [String] {
        UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
            .dropFirst().map { argument in
                guard let argument else { return "" }
                let bytes = UnsafeRawBufferPointer(start: argument, count: strlen(argument))
                return text(of: Array(bytes))
            }
    }

    /// Returns the bytes as text. Bytes that are not UTF-8 are replaced by scalars of their own.
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

    /// Returns the bytes of which ``text(of:)`` made the text.
    static func bytes(of text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in
            isByte(scalar)
                ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
        }
    }

    /// Returns the text for a person: bytes that are not UTF-8 as replacement characters.
    static func shown(_ text: String) -> String {
        String(decoding: bytes(of: text), as: UTF8.self)
    }

    private static func isByte(_ scalar: Unicode.Scalar) -> Bool {
        firstScalar...(firstScalar + 0xFF) ~= scalar.value
    }

    /// The scalar that the bytes are; `nil` if they are not one scalar.
    private static func scalar(of bytes: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let scalars = String(validating: bytes, as: UTF8.self)?.unicodeScalars,
            scalars.count == 1
        else { return nil }
        return scalars.first
    }
}
