import Foundation

/// What a file is, judged by its first bytes: for engines that are handed another one's file.
package enum FileKind: Sendable, Hashable {
    case sqlite
    case lmdb
    case binaryStore
    case xml
    case binaryPropertyList
    case empty
    case other
    /// Something other than a regular file, named.
    case notAFile(String)

    /// The first bytes of a binary store: not ASCII, and with both ways to end a line, so that a
    /// transfer as text shows (as in PNG's signature).
    package static let binaryStoreMark: [UInt8] = [
        0x89, 0x43, 0x41, 0x49, 0x52, 0x4e, 0x0d, 0x0a,
    ]

    /// How many bytes ``init(_:)`` wants to see.
    package static let prefixByteCount = 1024

    /// Judges a look at a file. One that is open through a library with locks is SQLite's.
    package init(_ prefix: OpenFileRegistry.Prefix) {
        switch prefix {
        case .isOpen: self = .sqlite
        case .notAFile(let kind): self = .notAFile(kind)
        case .bytes(let bytes): self.init(bytes)
        }
    }

    /// Looks at a file.
    ///
    /// - Throws: where there is none, or it cannot be opened or read.
    package init(ofFileAt path: String) throws(FileFailure) {
        self.init(
            try OpenFileRegistry.shared.readPrefix(of: path, byteCount: Self.prefixByteCount))
    }

    private init(_ bytes: [UInt8]) {
        if bytes.starts(with: Array("SQLite format 3\0".utf8)) {
            self = .sqlite
        } else if bytes.isEmpty {
            self = .empty
        } else if bytes.starts(with: Self.binaryStoreMark) {
            self = .binaryStore
        } else if bytes.starts(with: Array("bplist".utf8)) {
            self = .binaryPropertyList
        } else if bytes.dropFirst(16).starts(with: [0xde, 0xc0, 0xef, 0xbe]) {
            // lmdb.h: MDB_MAGIC behind the 16 bytes of the first page's header.
            self = .lmdb
        } else if Self.firstVisible(bytes) == UInt8(ascii: "<") {
            self = .xml
        } else {
            self = .other
        }
    }

    /// The first byte behind a byte order mark and white space.
    private static func firstVisible(_ bytes: [UInt8]) -> UInt8? {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        return bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0)
            .first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
    }
}

extension FileKind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .sqlite: "a SQLite database"
        case .lmdb: "an LMDB database"
        case .binaryStore: "a binary store"
        case .xml: "an XML document"
        case .binaryPropertyList: "a binary property list"
        case .empty: "an empty file"
        case .other: "a file of another kind"
        case .notAFile(let kind): kind
        }
    }
}
