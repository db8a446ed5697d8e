/// Packs bytes as raw deflate (RFC 1951), the form without a header.
///
/// Repeats are found with hash chains; each block has Huffman codes of its own.
struct Deflater {
    /// How many earlier places are tried for the longest repeat.
    private static let chainLimit = 64
    private static let blockTokenCount = 1 << 15

    /// A literal byte, or a repeat of what came `distance` bytes earlier.
    private enum Token {
        case literal(UInt8)
        case match(length: Int, distance: Int)
    }

    private let bytes: [UInt8]
    private var writer = BitWriter()
    /// The last place of each hash of three bytes, and the place before of each place; -1: none.
    private var heads = Array(repeating: -1, count: 1 << 15)
    private var previous: [Int]

    /// Returns the packed bytes.
    static func deflate(_ bytes: [UInt8]) -> [UInt8] {
        var deflater = Deflater(bytes)
        return deflater.pack()
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
        previous = Array(repeating: -1, count: bytes.count)
    }

    private mutating func pack() -> [UInt8] {
        var place = 0
        repeat {
            var tokens: [Token] = []
            while place < bytes.count, tokens.count < Self.blockTokenCount {
                place = appendToken(at: place, to: &tokens)
            }
            writeBlock(tokens, isLast: place == bytes.count)
        } while place < bytes.count
        return writer.finish()
    }

    private mutating func appendToken(at place: Int, to tokens: inout [Token]) -> Int {
        let match = longestMatch(at: place)
        let length = match?.length ?? 1
        tokens.append(
            match.map { .match(length: $0.length, distance: $0.distance) }
                ?? .literal(bytes[place]))
        for covered in place..<place + length { remember(covered) }
        return place + length
    }

    private func hash(at place: Int) -> Int? {
        guard place + DeflateFormat.shortestMatch <= bytes.count else { return nil }
        let (a, b, c) = (Int(bytes[place]), Int(bytes[place + 1]), Int(bytes[place + 2]))
        return (a << 10 ^ b << 5 ^ c) & 0x7FFF
    }

    private mutating func remember(_ place: Int) {
        guard let hash = hash(at: place) else { return }
        previous[place] = heads[hash]
        heads[hash] = place
    }

    private func longestMatch(at place: Int) -> (length: Int, distance: Int)? {
        guard let hash = hash(at: place) else { return nil }
        var best = (length: DeflateFormat.shortestMatch - 1, distance: 0)
        let limit = min(DeflateFormat.longestMatch, bytes.count - place)
        var candidate = heads[hash]
        var tries = Self.chainLimit
        while candidate >= 0, place - candidate <= DeflateFormat.windowByteCount, tries > 0 {
            var length = 0
            while length < limit, bytes[candidate + length] == bytes[place + length] { length += 1 }
            if length > best.length { best = (length, place - candidate) }
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

    /// The lengths of both codes in the code-length code, without its repeat symbols but the runs
    /// of zeros, which most of a small block's lengths are.
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
        for place in DeflateFormat.codeLengthOrder { writer.write(code.lengths[place], 3) }
        for item in symbols {
            writer.write(code, item.symbol)
            writer.write(item.extra, item.bits)
        }
    }

    /// The last symbol whose base is not above the value.
    private static func symbol(of value: Int, in bases: [Int]) -> Int {
        var (low, high) = (0, bases.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if bases[middle] <= value { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
