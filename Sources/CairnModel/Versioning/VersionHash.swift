import Foundation

/// The 32-byte hash that identifies a version of an entity in stores and models.
public struct VersionHash: Sendable, Hashable, CustomStringConvertible {
    /// The bytes in the form that stores record. A valid hash has 32 bytes.
    public let bytes: [UInt8]

    /// Creates a hash from bytes that a store or a compiled model recorded. The length is not checked.
    public init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The bytes in the form that stores record.
    public var data: Data { Data(bytes) }

    /// The bytes in lower-case hexadecimal.
    public var description: String {
        bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}
