/// What a baseline's library answered with.
protocol BaselineAnswer {
    /// How much that was.
    var reading: Reading { get }
}

/// How much a baseline read.
struct Reading: BaselineAnswer {
    /// How many rows.
    var count = 0
    /// Of all of them in their order.
    var checksum: UInt64 = 0

    var reading: Reading { self }

    /// Adds what was read next: as if all had been read at once.
    mutating func append(_ next: Reading) {
        count += next.count
        checksum = checksum &* Self.power(31, next.count) &+ next.checksum
    }

    /// A checksum moves up by 31 with each row behind it.
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
    /// Answers of several calls, one behind the other.
    var reading: Reading {
        var all = Reading()
        for answer in self { all.append(answer.reading) }
        return all
    }
}
