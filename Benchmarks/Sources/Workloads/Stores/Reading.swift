import BenchmarkRows

/// An answer from a baseline's library.
protocol BaselineAnswer {
    /// The amount of data in the answer.
    var reading: Reading { get }
}

/// The amount of data that a baseline read.
struct Reading: BaselineAnswer {
    /// The number of rows.
    var count = 0
    /// The checksum of all rows in order.
    var checksum: UInt64 = 0

    var reading: Reading { self }

    /// Appends the next rows, with the same result as if all rows had been read together.
    mutating func append(_ next: Reading) {
        count += next.count
        checksum = checksum &* Self.power(31, next.count) &+ next.checksum
    }

    /// Each further row multiplies the checksum of the previous rows by 31.
    private static func power(_ base: UInt64, _ exponent: Int) -> UInt64 {
        var (result, square, rest) = (UInt64(1), base, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result = result &* square }
            square = square &* square
            rest >>= 1
        }
        return result
    }
}

extension Array: BaselineAnswer where Element: BaselineAnswer {
    /// The concatenated answers of several calls.
    var reading: Reading {
        var all = Reading()
        for answer in self { all.append(answer.reading) }
        return all
    }
}
