import Foundation

/// Reads a binary property list from bytes that are not trusted.
///
/// The layout is `bplist00`, the objects, a table of their offsets, and a trailer of 32 bytes. See
/// CoreFoundation's ForFoundationOnly.h and CFBinaryPList.c.
struct BinaryPropertyListReader {
    private static let trailerByteCount = 32
    private let bytes: [UInt8]
    private let referenceByteCount: Int
    private let root: Int
    private let tableOffset: Int
    private let offsets: [Int]
    /// The number of content bytes that objects may still claim. The objects of a valid file do not overlap.
    private var budget: Int

    /// - Throws: `.damaged` if the header, the trailer or the offset table is invalid.
    init(_ bytes: [UInt8]) throws(ArchiveError) {
        guard bytes.count > 8, bytes.starts(with: Array("bplist0".utf8)) else {
            throw .damaged(offset: 0, detail: "the data does not begin like a binary property list")
        }
        let trailer = bytes.count - Self.trailerByteCount
        guard trailer > 8 else {
            throw .damaged(offset: bytes.count, detail: "the data ends before the trailer")
        }
        let (offsetByteCount, referenceByteCount) = (
            Int(bytes[trailer + 6]), Int(bytes[trailer + 7])
        )
        guard (1...8).contains(offsetByteCount), (1...8).contains(referenceByteCount) else {
            throw .damaged(offset: trailer + 6, detail: "the trailer contains impossible sizes")
        }
        guard let count = Self.number(bytes, at: trailer + 8, byteCount: 8),
            let root = Self.number(bytes, at: trailer + 16, byteCount: 8),
            let table = Self.number(bytes, at: trailer + 24, byteCount: 8),
            table > 8, table <= trailer, count <= (trailer - table) / offsetByteCount, root < count
        else {
            throw .damaged(offset: trailer + 8, detail: "the trailer points outside the file")
        }
        var offsets: [Int] = []
        offsets.reserveCapacity(count)
        for index in 0..<count {
            let entryOffset = table + index * offsetByteCount
            guard let offset = Self.number(bytes, at: entryOffset, byteCount: offsetByteCount),
                (8..<table).contains(offset)
            else {
                throw .damaged(offset: entryOffset, detail: "object \(index) is outside the file")
            }
            offsets.append(offset)
        }
        self.bytes = bytes
        self.referenceByteCount = referenceByteCount
        self.root = root
        tableOffset = table
        self.offsets = offsets
        budget = bytes.count
    }

    /// - Throws: `.damaged` if an object is invalid.
    mutating func read() throws(ArchiveError) -> BinaryPropertyList {
        var nodes: [BinaryPropertyList.Node] = []
        nodes.reserveCapacity(offsets.count)
        for offset in offsets { nodes.append(try node(at: offset)) }
        return BinaryPropertyList(nodes: nodes, root: root)
    }

    private mutating func node(at offset: Int) throws(ArchiveError) -> BinaryPropertyList.Node {
        let marker = bytes[offset]
        let low = Int(marker & 0x0F)
        switch marker >> 4 {
        case 0x0: return try singleton(marker, at: offset)
        case 0x1: return try integer(exponent: low, at: offset)
        case 0x2: return .real(try real(exponent: low, at: offset))
        case 0x3: return .date(try real(exponent: low, at: offset))
        case 0x4:
            let content = try content(low, unit: 1, at: offset)
            return .data(Array(bytes[content]))
        case 0x5:
            let content = try content(low, unit: 1, at: offset)
            return .string(String(decoding: bytes[content], as: UTF8.self))
        case 0x6: return .string(try utf16(low, at: offset))
        case 0x8:
            let content = try take(low + 1, from: offset + 1, of: offset)
            guard let uid = Self.number(bytes, at: content.lowerBound, byteCount: low + 1) else {
                throw .damaged(offset: offset, detail: "a reference is too large")
            }
            return .reference(uid)
        case 0xA, 0xB, 0xC:
            let content = try content(low, unit: referenceByteCount, at: offset)
            return .array(try references(in: content))
        case 0xD:
            let content = try content(low, unit: 2 * referenceByteCount, at: offset)
            let both = try references(in: content)
            return .dictionary(
                keys: Array(both.prefix(both.count / 2)),
                values: Array(both.suffix(both.count / 2)))
        default:
            throw .damaged(offset: offset, detail: "no object begins with byte \(marker)")
        }
    }

    private func singleton(
        _ marker: UInt8, at offset: Int
    ) throws(ArchiveError) -> BinaryPropertyList.Node {
        switch marker {
        case 0x00: .null
        case 0x08: .boolean(false)
        case 0x09: .boolean(true)
        default: throw .damaged(offset: offset, detail: "no object begins with byte \(marker)")
        }
    }

    /// Integers of one, two and four bytes are unsigned, and those of eight are signed. Sixteen bytes hold
    /// integers greater than `Int64.max`.
    private mutating func integer(
        exponent: Int, at offset: Int
    ) throws(ArchiveError) -> BinaryPropertyList.Node {
        guard exponent <= 4 else {
            throw .damaged(offset: offset, detail: "an integer has 2^\(exponent) bytes")
        }
        let content = try take(1 << exponent, from: offset + 1, of: offset)
        let pattern = bytes[content].suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard exponent == 4 else { return .integer(Int64(bitPattern: pattern)) }
        let isNegative = pattern >> 63 == 1
        let high = bytes[content].prefix(8)
        if isNegative, high.allSatisfy({ $0 == 0xFF }) {
            return .integer(Int64(bitPattern: pattern))
        }
        guard high.allSatisfy({ $0 == 0 }) else {
            throw .damaged(offset: offset, detail: "an integer has more than 64 bits")
        }
        return isNegative ? .unsigned(pattern) : .integer(Int64(bitPattern: pattern))
    }

    private mutating func real(exponent: Int, at offset: Int) throws(ArchiveError) -> Double {
        guard exponent == 2 || exponent == 3 else {
            throw .damaged(offset: offset, detail: "a real number has 2^\(exponent) bytes")
        }
        let content = try take(1 << exponent, from: offset + 1, of: offset)
        let pattern = bytes[content].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return exponent == 3
            ? Double(bitPattern: pattern)
            : Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern)))
    }

    private mutating func utf16(_ low: Int, at offset: Int) throws(ArchiveError) -> String {
        let content = try content(low, unit: 2, at: offset)
        let units = stride(from: content.lowerBound, to: content.upperBound, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        return String(decoding: units, as: UTF16.self)
    }

    /// Returns the byte range of an object's content. The low half of the marker is the count, or 15 if the
    /// count follows as an integer.
    private mutating func content(
        _ low: Int, unit: Int, at offset: Int
    ) throws(ArchiveError) -> Range<Int> {
        guard low == 15 else { return try take(low, unit: unit, from: offset + 1, of: offset) }
        let marker = offset + 1
        guard marker < tableOffset, bytes[marker] >> 4 == 1, bytes[marker] & 0x0F <= 3 else {
            throw .damaged(offset: marker, detail: "a count is not an integer")
        }
        let byteCount = 1 << Int(bytes[marker] & 0x0F)
        guard marker + 1 + byteCount <= tableOffset,
            let count = Self.number(bytes, at: marker + 1, byteCount: byteCount)
        else { throw .damaged(offset: marker, detail: "a count is too large") }
        return try take(count, unit: unit, from: marker + 1 + byteCount, of: offset)
    }

    private mutating func take(
        _ count: Int, unit: Int = 1, from start: Int, of offset: Int
    ) throws(ArchiveError) -> Range<Int> {
        guard start <= tableOffset, count <= (tableOffset - start) / unit else {
            throw .damaged(offset: offset, detail: "an object extends beyond the file")
        }
        budget -= count * unit
        guard budget >= 0 else {
            throw .damaged(offset: offset, detail: "objects overlap")
        }
        return start..<start + count * unit
    }

    private func references(in content: Range<Int>) throws(ArchiveError) -> [Int] {
        var references: [Int] = []
        references.reserveCapacity(content.count / referenceByteCount)
        for offset in stride(
            from: content.lowerBound, to: content.upperBound, by: referenceByteCount)
        {
            guard let number = Self.number(bytes, at: offset, byteCount: referenceByteCount),
                number < offsets.count
            else { throw .damaged(offset: offset, detail: "a member is not an object of the file") }
            references.append(number)
        }
        return references
    }

    /// Returns a big-endian number, or `nil` if it does not fit in an `Int`.
    ///
    /// - Precondition: The bytes exist.
    private static func number(_ bytes: [UInt8], at offset: Int, byteCount: Int) -> Int? {
        var number: UInt64 = 0
        for byte in bytes[offset..<offset + byteCount] {
            guard number >> 56 == 0 else { return nil }
            number = number << 8 | UInt64(byte)
        }
        return Int(exactly: number)
    }
}
