/// A canonical Huffman code that is computed from the frequency of each symbol.
struct HuffmanCode {
    /// The length of each symbol's code, or 0 if the symbol has no code.
    let lengths: [Int]
    /// The code of each symbol. Its first bit is the lowest, because deflate writes it first.
    let codes: [Int]

    /// - Parameter longest: The maximum number of bits in a code.
    init(counts: [Int], longest: Int) {
        var counts = counts
        // There are always at least two codes, because readers expect that every bit pattern is used.
        for symbol in counts.indices where counts.count(where: { $0 > 0 }) < 2 {
            if counts[symbol] == 0 { counts[symbol] = 1 }
        }
        var lengths = Self.lengths(counts)
        while (lengths.max() ?? 0) > longest {
            // More even counts make the tree less deep.
            for symbol in counts.indices where counts[symbol] > 0 {
                counts[symbol] = counts[symbol] / 2 + 1
            }
            lengths = Self.lengths(counts)
        }
        self.lengths = lengths
        codes = Self.codes(lengths)
    }

    /// Returns the depths of the symbols in a tree that is built by repeatedly joining the two rarest nodes.
    private static func lengths(_ counts: [Int]) -> [Int] {
        var lengths = Array(repeating: 0, count: counts.count)
        var nodes = counts.indices.filter { counts[$0] > 0 }
            .map { (count: counts[$0], symbols: [$0]) }
            .sorted { $0.count > $1.count }
        while nodes.count > 1 {
            let (rarest, next) = (nodes.removeLast(), nodes.removeLast())
            let joined = (
                count: rarest.count + next.count, symbols: rarest.symbols + next.symbols
            )
            for symbol in joined.symbols { lengths[symbol] += 1 }
            let index = nodes.firstIndex { $0.count < joined.count } ?? nodes.count
            nodes.insert(joined, at: index)
        }
        return lengths
    }

    /// Codes with the same length are numbered in the order of their symbols (RFC 1951, section 3.2.2).
    private static func codes(_ lengths: [Int]) -> [Int] {
        var counts = Array(repeating: 0, count: HuffmanTable.longestCode + 1)
        for length in lengths where length > 0 { counts[length] += 1 }
        var next = Array(repeating: 0, count: HuffmanTable.longestCode + 2)
        for length in 1...HuffmanTable.longestCode {
            next[length + 1] = (next[length] + counts[length]) << 1
        }
        return lengths.map { length in
            guard length > 0 else { return 0 }
            next[length] += 1
            return HuffmanTable.reversed(next[length] - 1, count: length)
        }
    }
}

/// Decodes the symbols of one canonical Huffman code (RFC 1951, section 3.2.2).
struct HuffmanTable {
    static let longestCode = 15
    /// The number of bits in the longest code of this table.
    private let width: Int
    /// An entry for each possible value of the next `width` bits: the symbol, shifted left by 4 bits, and the
    /// length of its code. The entry is 0 if no code matches.
    private let entries: [UInt16]

    /// Creates a table from the length of each symbol's code, which is 0 for a symbol without a code.
    ///
    /// A code that does not use all bit patterns is accepted. As in zlib, this allows a single distance.
    ///
    /// - Returns: `nil` if there are more codes than their lengths allow.
    init?(lengths: [Int]) {
        var counts = Array(repeating: 0, count: Self.longestCode + 1)
        for length in lengths { counts[length] += 1 }
        counts[0] = 0
        var room = 1
        for length in 1...Self.longestCode {
            room = room << 1 - counts[length]
            guard room >= 0 else { return nil }
        }
        var next = Array(repeating: 0, count: Self.longestCode + 2)
        for length in 1...Self.longestCode {
            next[length + 1] = (next[length] + counts[length]) << 1
        }
        width = lengths.max() ?? 0
        var entries = [UInt16](repeating: 0, count: 1 << width)
        for (symbol, length) in lengths.enumerated() where length > 0 {
            let code = Self.reversed(next[length], count: length)
            next[length] += 1
            for index in stride(from: code, to: entries.count, by: 1 << length) {
                entries[index] = UInt16(symbol << 4 | length)
            }
        }
        self.entries = entries
    }

    /// Reads the next symbol.
    ///
    /// - Throws: `.damaged` if no code matches or the stream ends.
    func symbol(from reader: inout BitReader) throws(DeflateError) -> Int {
        let entry = Int(entries[reader.peek(width)])
        guard entry != 0 else {
            throw .damaged(offset: reader.offset, detail: "the bits are not a defined code")
        }
        try reader.skip(entry & 15)
        return entry >> 4
    }

    /// Returns a code with its bits in reverse order. In the stream, a code starts with its highest bit, but
    /// all other numbers start with their lowest bit.
    static func reversed(_ code: Int, count: Int) -> Int {
        var (rest, reversed) = (code, 0)
        for _ in 0..<count {
            reversed = reversed << 1 | rest & 1
            rest >>= 1
        }
        return reversed
    }
}
