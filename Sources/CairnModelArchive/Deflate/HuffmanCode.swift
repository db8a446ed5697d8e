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
