/// Decodes the symbols of one canonical Huffman code (RFC 1951, section 3.2.2).
struct HuffmanTable {
    static let longestCode = 15
    /// How many bits the longest code of this table has.
    private let width: Int
    /// For each possible value of the next `width` bits: symbol << 4 | length of its code, or 0 if
    /// no code fits.
    private let entries: [UInt16]

    /// Builds the table from the length of each symbol's code, 0 for a symbol that has none.
    ///
    /// A code that leaves bit patterns unused is accepted, as zlib does for a single distance.
    ///
    /// - Returns: `nil` if the lengths require more codes than there are.
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

    /// - Throws: `.damaged` if no code fits or the stream ends.
    func symbol(from reader: inout BitReader) throws(DeflateError) -> Int {
        let entry = Int(entries[reader.peek(width)])
        guard entry != 0 else {
            throw .damaged(offset: reader.offset, detail: "no code fits")
        }
        try reader.skip(entry & 15)
        return entry >> 4
    }

    /// Returns a code with its bits in reverse order. In the stream, a code begins with its highest
    /// bit; everything else begins with its lowest bit.
    static func reversed(_ code: Int, count: Int) -> Int {
        var (rest, reversed) = (code, 0)
        for _ in 0..<count {
            reversed = reversed << 1 | rest & 1
            rest >>= 1
        }
        return reversed
    }
}
