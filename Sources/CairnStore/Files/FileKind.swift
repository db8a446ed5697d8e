import Foundation

/// What a file is that no engine takes for its own, judged by its first bytes.
///
/// Knows only forms that belong to no engine. Each engine knows the first bytes of its own files.
package enum FileKind: Sendable, Hashable {
    /// Open in this process through a library with locks, so that nobody may look inside.
    case openHere
    case xml
    case binaryPropertyList
    case empty
    case other
    /// Something other than a regular file, named.
    case notAFile(String)

    /// How many bytes ``init(_:)`` wants to see.
    package static let prefixByteCount = 1024

    /// Judges a look at a file.
    package init(_ prefix: OpenFileRegistry.Prefix) {
        switch prefix {
        case .isOpen: self = .openHere
        case .notAFile(let kind): self = .notAFile(kind)
        case .bytes(let bytes): self.init(bytes)
        }
    }

    /// Looks at a file.
    ///
    /// - Throws: a failure if there is no file, or it cannot be opened or read.
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

    /// Whether the first bytes of a file can begin an XML document.
    package static func isXML(_ bytes: [UInt8]) -> Bool {
        firstVisible(bytes) == UInt8(ascii: "<")
    }

    /// The first byte after a byte order mark and white space.
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
