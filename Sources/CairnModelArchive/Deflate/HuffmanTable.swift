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
