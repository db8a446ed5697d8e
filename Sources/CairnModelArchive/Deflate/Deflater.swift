/// Compresses bytes as raw deflate (RFC 1951), which has no header.
///
/// Repeated bytes are found with hash chains, and each block has its own Huffman codes.
struct Deflater {
    /// The number of earlier offsets that are tried to find the longest match.
    private static let chainLimit = 64
    private static let blockTokenCount = 1 << 15

    /// A literal byte, or a repetition of bytes that occurred `distance` bytes earlier.
    private enum Token {
        case literal(UInt8)
        case match(length: Int, distance: Int)
    }

    private let bytes: [UInt8]
    private var writer = BitWriter()
    /// The last offset of each hash of three bytes, or -1 if the hash has not occurred.
    private var heads = Array(repeating: -1, count: 1 << 15)
    /// For each offset, the previous offset with the same hash, or -1 if there is no such offset.
    private var previous: [Int]

    /// Returns the compressed bytes.
    static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        var deflater = Deflater(bytes)
        return deflater.pack()
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        previous = Array(repeating: -1, count: bytes.count)
    }

    private mutating func pack() -> [UInt8] {
        var offset = 0
        repeat {
            var tokens: [Token] = []
            while offset < bytes.count, tokens.count < Self.blockTokenCount {
                offset = appendToken(at: offset, to: &tokens)
            }
            writeBlock(tokens, isLast: offset == bytes.count)
        } while offset < bytes.count
        return writer.finish()
    }

    private mutating func appendToken(at offset: Int, to tokens: inout [Token]) -> Int {
        let match = longestMatch(at: offset)
        let length = match?.length ?? 1
        tokens.append(
            match.map { .match(length: $0.length, distance: $0.distance) }
                ?? .literal(bytes[offset]))
        for covered in offset..<offset + length { remember(covered) }
        return offset + length
    }

    private func hash(at offset: Int) -> Int? {
        guard offset + DeflateFormat.shortestMatch <= bytes.count else { return nil }
        let (a, b, c) = (Int(bytes[offset]), Int(bytes[offset + 1]), Int(bytes[offset + 2]))
        return (a << 10 ^ b << 5 ^ c) & 0x7FFF
    }

    private mutating func remember(_ offset: Int) {
        guard let hash = hash(at: offset) else { return }
        previous[offset] = heads[hash]
        heads[hash] = offset
    }

    private func longestMatch(at offset: Int) -> (length: Int, distance: Int)? {
        guard let hash = hash(at: offset) else { return nil }
        var best = (length: DeflateFormat.shortestMatch - 1, distance: 0)
        let limit = min(DeflateFormat.longestMatch, bytes.count - offset)
        var candidate = heads[hash]
        var tries = Self.chainLimit
        while candidate >= 0, offset - candidate <= DeflateFormat.windowByteCount, tries > 0 {
            var length = 0
            while length < limit, bytes[candidate + length] == bytes[offset + length] {
                length += 1
            }
            if length > best.length { best = (length, offset - candidate) }
            if length == limit { break }
            candidate = previous[candidate]
            tries -= 1
        }
        return best.length >= DeflateFormat.shortestMatch ? best : nil
    }

    private mutating func writeBlock(_ tokens: [Token], isLast: Bool) {
        var literalCounts = Array(repeating: 0, count: 286)
        var distanceCounts = Array(repeating: 0, count: 30)
        literalCounts[DeflateFormat.endOfBlock] = 1
        for token in tokens {
            switch token {
            case .literal(let byte): literalCounts[Int(byte)] += 1
            case .match(let length, let distance):
                literalCounts[257 + Self.symbol(of: length, in: DeflateFormat.lengthBases)] += 1
                distanceCounts[Self.symbol(of: distance, in: DeflateFormat.distanceBases)] += 1
            }
        }
        let literals = HuffmanCode(counts: literalCounts, longest: HuffmanTable.longestCode)
        let distances = HuffmanCode(counts: distanceCounts, longest: HuffmanTable.longestCode)
        writer.write(isLast ? 1 : 0, 1)
        writer.write(2, 2)
        writeLengths(literals.lengths, distances.lengths)
        for token in tokens { write(token, literals, distances) }
        writer.write(literals, DeflateFormat.endOfBlock)
    }

    private mutating func write(
        _ token: Token, _ literals: HuffmanCode, _ distances: HuffmanCode
    ) {
        switch token {
        case .literal(let byte): writer.write(literals, Int(byte))
        case .match(let length, let distance):
            let lengthSymbol = Self.symbol(of: length, in: DeflateFormat.lengthBases)
            writer.write(literals, 257 + lengthSymbol)
            writer.write(
                length - DeflateFormat.lengthBases[lengthSymbol],
                DeflateFormat.lengthBits[lengthSymbol])
            let distanceSymbol = Self.symbol(of: distance, in: DeflateFormat.distanceBases)
            writer.write(distances, distanceSymbol)
            writer.write(
                distance - DeflateFormat.distanceBases[distanceSymbol],
                DeflateFormat.distanceBits[distanceSymbol])
        }
    }

    /// Writes the lengths of both codes with the code for code lengths. Uses its repeat symbols only for runs
    /// of zeros, because most lengths of a small block are zero.
    private mutating func writeLengths(_ literals: [Int], _ distances: [Int]) {
        var symbols: [(symbol: Int, extra: Int, bits: Int)] = []
        var zeros = 0
        func flush() {
            while zeros >= 11 {
                let count = min(zeros, 138)
                symbols.append((18, count - 11, 7))
                zeros -= count
            }
            if zeros >= 3 {
                symbols.append((17, zeros - 3, 3))
                zeros = 0
            }
            for _ in 0..<zeros { symbols.append((0, 0, 0)) }
            zeros = 0
        }
        for length in literals + distances {
            if length == 0 {
                zeros += 1
            } else {
                flush()
                symbols.append((length, 0, 0))
            }
        }
        flush()
        var counts = Array(repeating: 0, count: 19)
        for item in symbols { counts[item.symbol] += 1 }
        let code = HuffmanCode(counts: counts, longest: 7)
        writer.write(literals.count - 257, 5)
        writer.write(distances.count - 1, 5)
        writer.write(DeflateFormat.codeLengthOrder.count - 4, 4)
        for symbol in DeflateFormat.codeLengthOrder { writer.write(code.lengths[symbol], 3) }
        for item in symbols {
            writer.write(code, item.symbol)
            writer.write(item.extra, item.bits)
        }
    }

    /// Returns the last symbol whose base is not greater than the value.
    private static func symbol(of value: Int, in bases: [Int]) -> Int {
        var (low, high) = (0, bases.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if bases[middle] <= value { low = middle } else { high = middle - 1 }
        }
        return low
    }
}

/// Writes a deflate stream bit by bit, starting with the lowest bit of each byte.
struct BitWriter {
    private var bytes: [UInt8] = []
    private var held = 0
    private var heldCount = 0

    /// Writes the lowest bits of a value.
    mutating func write(_ value: Int, _ count: Int) {
        held |= value << heldCount
        heldCount += count
        while heldCount >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: held))
            held >>= 8
            heldCount -= 8
        }
    }

    mutating func write(_ code: HuffmanCode, _ symbol: Int) {
        write(code.codes[symbol], code.lengths[symbol])
    }

    /// Completes the last byte with zeros, and returns all bytes.
    mutating func finish() -> [UInt8] {
        if heldCount > 0 { bytes.append(UInt8(truncatingIfNeeded: held)) }
        return bytes
    }
}
