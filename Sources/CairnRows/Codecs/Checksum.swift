/// An 8-byte checksum that detects changed bytes: XXH64 with seed 0 (Yann Collet, xxhash_spec.md).
/// It does not protect against deliberate changes.
package enum Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// Returns the checksum of the bytes.
    package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return finish(prime5, nil, 0) }
        var (pointer, rest) = (base, bytes.count)
        var hash = prime5
        if rest >= 32 {
            var lanes = Lanes()
            lanes.take(&pointer, &rest)
            hash = lanes.hash
        }
        hash &+= UInt64(bytes.count)
        return finish(hash, pointer, rest)
    }

    /// Returns the checksum of bytes that come in several parts. It equals the checksum of the
    /// joined parts.
    package static func of(_ parts: some Sequence<UnsafeRawBufferPointer>) -> UInt64 {
        var (lanes, count) = (Lanes(), UInt64(0))
        // Collects the end of one part until the following parts complete 32 bytes.
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { open in
            var openCount = 0
            for part in parts {
                count &+= UInt64(part.count)
                var rest = part[...]
                if openCount > 0 || rest.count < 32 {
                    let more = rest.prefix(32 - openCount)
                    UnsafeMutableRawBufferPointer(rebasing: open[openCount...])
                        .copyBytes(from: more)
                    openCount += more.count
                    rest = rest.dropFirst(more.count)
                    guard openCount == 32, let base = open.baseAddress else { continue }
                    var (pointer, size) = (UnsafeRawPointer(base), 32)
                    lanes.take(&pointer, &size)
                    openCount = 0
                }
                let whole = UnsafeRawBufferPointer(rebasing: rest)
                guard let base = whole.baseAddress else { continue }
                var (pointer, size) = (base, whole.count)
                lanes.take(&pointer, &size)
                open.copyBytes(from: UnsafeRawBufferPointer(start: pointer, count: size))
                openCount = size
            }
            let hash = (count < 32 ? prime5 : lanes.hash) &+ count
            count = finish(hash, open.baseAddress.map { UnsafeRawPointer($0) }, openCount)
        }
        return count
    }

    /// The four lanes of the hash, which consume 32 bytes at a time.
    private struct Lanes {
        private var (a, b, c, d) = (prime1 &+ prime2, prime2, UInt64(0), 0 &- prime1)

        @inline(__always) mutating func take(_ pointer: inout UnsafeRawPointer, _ rest: inout Int) {
            while rest >= 32 {
                a = round(a, word(pointer, 0))
                b = round(b, word(pointer, 8))
                c = round(c, word(pointer, 16))
                d = round(d, word(pointer, 24))
                pointer += 32
                rest -= 32
            }
        }

        @inline(__always) var hash: UInt64 {
            let hash = rotate(a, 1) &+ rotate(b, 7) &+ rotate(c, 12) &+ rotate(d, 18)
            return merge(merge(merge(merge(hash, a), b), c), d)
        }
    }

    @inline(__always) private static func finish(
        _ start: UInt64, _ start2: UnsafeRawPointer?, _ count: Int
    ) -> UInt64 {
        var (hash, rest) = (start, count)
        if var pointer = start2 {
            while rest >= 8 {
                hash = rotate(hash ^ round(0, word(pointer, 0)), 27) &* prime1 &+ prime4
                pointer += 8
                rest -= 8
            }
            if rest >= 4 {
                let half = UInt64(UInt32(littleEndian: pointer.loadUnaligned(as: UInt32.self)))
                hash = rotate(hash ^ half &* prime1, 23) &* prime2 &+ prime3
                pointer += 4
                rest -= 4
            }
            while rest > 0 {
                hash = rotate(hash ^ UInt64(pointer.load(as: UInt8.self)) &* prime5, 11) &* prime1
                pointer += 1
                rest -= 1
            }
        }
        hash = (hash ^ hash >> 33) &* prime2
        hash = (hash ^ hash >> 29) &* prime3
        return hash ^ hash >> 32
    }

    @inline(__always) private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
        rotate(lane &+ input &* prime2, 31) &* prime1
    }

    @inline(__always) private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
        (hash ^ round(0, lane)) &* prime1 &+ prime4
    }

    @inline(__always) private static func rotate(_ value: UInt64, _ count: UInt64) -> UInt64 {
        value << count | value >> (64 - count)
    }

    @inline(__always) private static func word(
        _ pointer: UnsafeRawPointer, _ offset: Int
    ) -> UInt64 {
        UInt64(littleEndian: pointer.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
