import Foundation

/// The apparent kind of a file that no engine recognizes, judged by its first bytes.
///
/// The kinds belong to no particular engine. Each engine knows the first bytes of its own files.
package enum FileKind: Sendable, Hashable {
    /// Open in this process through a library that holds locks, so the file must not be read.
    case openHere
    case xml
    case binaryPropertyList
    case empty
    case other
    /// Not a regular file. The text says what it is.
    case notAFile(String)

    /// The number of bytes that ``init(_:)`` looks at.
    package static let prefixByteCount = 1024

    /// Judges a file by its first bytes.
    package init(_ prefix: OpenFileRegistry.Prefix) {
        switch prefix {
        case .isOpen: self = .openHere
        case .notAFile(let kind): self = .notAFile(kind)
        case .bytes(let bytes): self.init(bytes)
        }
    }

    /// Reads the first bytes of a file and judges it.
    ///
    /// - Throws: a failure if there is no file, or if it cannot be opened or read.
    package init(ofFileAt path: String) throws(FileFailure) {
        self.init(
            try OpenFileRegistry.shared.readPrefix(of: path, byteCount: Self.prefixByteCount))
    }

    private init(_ bytes: [UInt8]) {
        if bytes.isEmpty {
            self = .empty
        } else if bytes.starts(with: Array("bplist".utf8)) {
            self = .binaryPropertyList
        } else if Self.isXML(bytes) {
            self = .xml
        } else {
            self = .other
        }
    }

    /// Returns whether an XML document can begin with these bytes.
    package static func isXML(_ bytes: [UInt8]) -> Bool {
        firstVisible(bytes) == UInt8(ascii: "<")
    }

    /// Returns the first byte after a byte order mark and white space.
    private static func firstVisible(_ bytes: [UInt8]) -> UInt8? {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        return bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
            .first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
    }
}

extension FileKind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .openHere: "a file that another store of this process has open"
        case .xml: "an XML document"
        case .binaryPropertyList: "a binary property list"
        case .empty: "an empty file"
        case .other: "a file of another kind"
        case .notAFile(let kind): kind
        }
    }
}
