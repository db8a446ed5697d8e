import Foundation

/// The 32-byte hash by which stores and models recognise an entity's version.
public struct VersionHash: Sendable, Hashable, CustomStringConvertible {
    /// The bytes, as a store records them. A valid hash has 32 bytes.
    public let bytes: [UInt8]

    /// Takes the bytes as a store or a compiled model records them.
    public init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// The bytes as a store records them.
    public var data: Data { Data(bytes) }

    /// Lower-case hexadecimal, two digits a byte.
    public var description: String {
        bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}
