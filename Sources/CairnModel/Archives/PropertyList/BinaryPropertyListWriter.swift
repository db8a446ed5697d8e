/// Writes a property list in the `bplist00` form.
struct BinaryPropertyListWriter {
    private let list: BinaryPropertyList
    private let referenceByteCount: Int
    private var bytes = Array("bplist00".utf8)

    init(_ list: BinaryPropertyList) {
        self.list = list
        referenceByteCount = Self.byteCount(of: list.nodes.count)
    }

    /// Returns the bytes of the list.
    ///
    /// - Precondition: Every member of a container is a node of the list.
    mutating func write() -> [UInt8] {
        var offsets: [Int] = []
        offsets.reserveCapacity(list.nodes.count)
        for node in list.nodes {
            offsets.append(bytes.count)
            append(node)
        }
        let table = bytes.count
        let offsetByteCount = Self.byteCount(of: table)
        for offset in offsets { append(offset, byteCount: offsetByteCount) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetByteCount), UInt8(referenceByteCount)]
        append(list.nodes.count, byteCount: 8)
        append(list.root, byteCount: 8)
        append(table, byteCount: 8)
        return bytes
    }

    private mutating func append(_ node: BinaryPropertyList.Node) {
        switch node {
        case .null: bytes.append(0x00)
        case .boolean(let value): bytes.append(value ? 0x09 : 0x08)
        case .integer(let value): append(integer: value)
        case .unsigned(let value):
            // Sixteen bytes, because integers of eight bytes are read as signed.
            append(0x14, 0)
            append(pattern: value)
        case .real(let value): append(0x23, value.bitPattern)
        case .date(let value): append(0x33, value.bitPattern)
        case .data(let value):
            append(0x40, count: value.count)
            bytes += value
        case .string(let value): append(string: value)
        case .reference(let value):
            let byteCount = Self.byteCount(of: value)
            bytes.append(0x80 | UInt8(byteCount - 1))
            append(value, byteCount: byteCount)
        case .array(let members):
            append(0xA0, count: members.count)
            for member in members { append(member, byteCount: referenceByteCount) }
        case .dictionary(let keys, let values):
            append(0xD0, count: keys.count)
            for member in keys + values { append(member, byteCount: referenceByteCount) }
        }
    }

    /// Integers of one, two and four bytes are read as unsigned, so a negative number takes eight.
    private mutating func append(integer value: Int64) {
        guard value >= 0, let plain = Int(exactly: value) else {
            return append(0x13, UInt64(bitPattern: value))
        }
        let byteCount = Self.byteCount(of: plain)
        bytes.append(0x10 | UInt8(byteCount.trailingZeroBitCount))
        append(plain, byteCount: byteCount)
    }

    private mutating func append(string value: String) {
        if value.utf8.allSatisfy({ $0 < 0x80 }) {
            append(0x50, count: value.utf8.count)
            bytes += Array(value.utf8)
        } else {
            append(0x60, count: value.utf16.count)
            for unit in value.utf16 { append(Int(unit), byteCount: 2) }
        }
    }

    private mutating func append(_ marker: UInt8, count: Int) {
        bytes.append(marker | UInt8(min(count, 15)))
        if count >= 15 { append(integer: Int64(count)) }
    }

    private mutating func append(_ marker: UInt8, _ pattern: UInt64) {
        bytes.append(marker)
        append(pattern: pattern)
    }

    private mutating func append(pattern: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: pattern >> UInt64(shift)))
        }
    }

    private mutating func append(_ value: Int, byteCount: Int) {
        for index in (0..<byteCount).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }

    /// Returns the smallest of 1, 2, 4 and 8 bytes that holds the value.
    private static func byteCount(of value: Int) -> Int {
        switch value {
        case ...0xFF: 1
        case ...0xFFFF: 2
        case ...0xFFFF_FFFF: 4
        default: 8
        }
    }
}
