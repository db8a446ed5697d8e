/// Decompresses raw deflate (RFC 1951), which has no header.
struct Inflater {
    private var reader: BitReader
    private var output: [UInt8] = []
    private let limit: Int

    /// Returns the decompressed bytes. Bytes after the last block are ignored.
    ///
    /// - Parameter limit: The maximum number of bytes to return.
    static func inflate(_ bytes: [UInt8], limit: Int) throws(DeflateError) -> [UInt8] {
        var inflater = Inflater(reader: BitReader(bytes), limit: limit)
        while try !inflater.unpackBlock() {}
        return inflater.output
    }

    private init(reader: BitReader, limit: Int) {
        self.reader = reader
        self.limit = limit
    }

    /// Decompresses a block. Returns whether it was the last one.
    private mutating func unpackBlock() throws(DeflateError) -> Bool {
        let isLast = try reader.take(1) == 1
        switch try reader.take(2) {
        case 0: try unpackStored()
        case 1:
            try unpackCodes(
                try table(DeflateFormat.fixedLiteralLengths),
                try table(DeflateFormat.fixedDistanceLengths))
        case 2:
            let (literals, distances) = try readTables()
            try unpackCodes(literals, distances)
        default: throw damaged("a block has an undefined type")
        }
        return isLast
    }

    private mutating func unpackStored() throws(DeflateError) {
        reader.alignToByte()
        let count = try reader.take(16)
        guard try reader.take(16) == ~count & 0xFFFF else {
            throw damaged("the length of a stored block does not match its complement")
        }
        guard count <= limit - output.count else { throw .tooLarge(limit: limit) }
        for _ in 0..<count { output.append(UInt8(try reader.take(8))) }
    }

    private mutating func unpackCodes(
        _ literals: HuffmanTable, _ distances: HuffmanTable
    ) throws(DeflateError) {
        while true {
            let symbol = try literals.symbol(from: &reader)
            if symbol == DeflateFormat.endOfBlock { return }
            if symbol < DeflateFormat.endOfBlock {
                guard output.count < limit else { throw .tooLarge(limit: limit) }
                output.append(UInt8(symbol))
            } else {
                try repeatEarlier(lengthSymbol: symbol - 257, distances)
            }
        }
    }

    private mutating func repeatEarlier(
        lengthSymbol: Int, _ distances: HuffmanTable
    ) throws(DeflateError) {
        guard lengthSymbol < DeflateFormat.lengthBases.count else {
            throw damaged("a length is not defined")
        }
        let extraLength = try reader.take(DeflateFormat.lengthBits[lengthSymbol])
        let length = DeflateFormat.lengthBases[lengthSymbol] + extraLength
        let symbol = try distances.symbol(from: &reader)
        guard symbol < DeflateFormat.distanceBases.count else {
            throw damaged("a distance is not defined")
        }
        let extraDistance = try reader.take(DeflateFormat.distanceBits[symbol])
        let distance = DeflateFormat.distanceBases[symbol] + extraDistance
        guard distance <= output.count else {
            throw damaged("a distance leads beyond the beginning")
        }
        guard length <= limit - output.count else { throw .tooLarge(limit: limit) }
        let start = output.count - distance
        // The repeated bytes may include bytes that this loop has just appended.
        for offset in start..<start + length { output.append(output[offset]) }
    }

    /// Reads the two tables of a block, whose lengths are themselves compressed.
    private mutating func readTables() throws(DeflateError) -> (HuffmanTable, HuffmanTable) {
        let literalCount = try reader.take(5) + 257
        let distanceCount = try reader.take(5) + 1
        let orderCount = try reader.take(4) + 4
        var codeLengths = Array(repeating: 0, count: 19)
        for symbol in DeflateFormat.codeLengthOrder.prefix(orderCount) {
            codeLengths[symbol] = try reader.take(3)
        }
        let code = try table(codeLengths)
        var lengths: [Int] = []
        while lengths.count < literalCount + distanceCount {
            switch try code.symbol(from: &reader) {
            case 16:
                guard let last = lengths.last else {
                    throw damaged("a repetition has no length before it")
                }
                lengths += Array(repeating: last, count: try reader.take(2) + 3)
            case 17: lengths += Array(repeating: 0, count: try reader.take(3) + 3)
            case 18: lengths += Array(repeating: 0, count: try reader.take(7) + 11)
            case let length: lengths.append(length)
            }
        }
        guard lengths.count == literalCount + distanceCount else {
            throw damaged("a repetition of lengths leads beyond their end")
        }
        return (
            try table(Array(lengths.prefix(literalCount))),
            try table(Array(lengths.suffix(distanceCount)))
        )
    }

    private func table(_ lengths: [Int]) throws(DeflateError) -> HuffmanTable {
        guard let table = HuffmanTable(lengths: lengths) else {
            throw damaged("a code has too many symbols")
        }
        return table
    }

    private func damaged(_ detail: String) -> DeflateError {
        .damaged(offset: reader.offset, detail: detail)
    }
}

/// Reads a deflate stream bit by bit, starting with the lowest bit of each byte.
struct BitReader {
    private let bytes: [UInt8]
    private(set) var offset = 0
    private var held: UInt64 = 0
    private var heldCount = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads up to 32 bits.
    ///
    /// - Throws: `.damaged` if the stream contains fewer bits.
    mutating func take(_ count: Int) throws(DeflateError) -> Int {
        fill()
        guard heldCount >= count else { throw ended }
        let value = Int(held & ((1 << UInt64(count)) - 1))
        drop(count)
        return value
    }

    /// Returns the next bits without consuming them. Bits after the end of the stream are zeros.
    mutating func peek(_ count: Int) -> Int {
        fill()
        return Int(held & ((1 << UInt64(count)) - 1))
    }

    /// Consumes bits that ``peek(_:)`` has returned.
    ///
    /// - Throws: `.damaged` if they are after the end of the stream.
    mutating func skip(_ count: Int) throws(DeflateError) {
        guard heldCount >= count else { throw ended }
        drop(count)
    }

    /// Skips the rest of the current byte.
    mutating func alignToByte() {
        drop(heldCount % 8)
    }

    private mutating func fill() {
        while heldCount <= 48, offset < bytes.count {
            held |= UInt64(bytes[offset]) << UInt64(heldCount)
            heldCount += 8
            offset += 1
        }
    }

    private mutating func drop(_ count: Int) {
        held >>= UInt64(count)
        heldCount -= count
    }

    private var ended: DeflateError {
        .damaged(offset: offset, detail: "the data ends too early")
    }
}

/// The reason that bytes could not be decompressed.
enum DeflateError: Error, Equatable {
    /// The stream is invalid at this offset.
    case damaged(offset: Int, detail: String)
    /// The stream decompresses to more bytes than this limit.
    case tooLarge(limit: Int)
}
