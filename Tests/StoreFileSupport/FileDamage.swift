import CairnTestSupport
import Foundation

/// One way in which a file is damaged. A seed and a number reproduce it.
package struct FileDamage {
    package enum Kind: String, CaseIterable, Sendable {
        case flippedBits, cut, cutAtPage, garbage, swappedPages, zeroedPage, movedPiece, appended
        case otherEnginesFile, allGarbage
    }

    /// The page size of SQLite and LMDB.
    private static let pageByteCount = 4096

    package let kind: Kind
    package let bytes: [UInt8]

    /// Creates damage to a file.
    ///
    /// - Parameter others: Sound files of other engines.
    package init(of original: [UInt8], others: [[UInt8]], seed: UInt64, number: Int) {
        var random = SeededRandom(seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        // Flipped bits are the hardest to notice, so they are more frequent.
        let kinds = Kind.allCases + [.flippedBits, .flippedBits, .flippedBits]
        kind = kinds[Int.random(in: 0..<kinds.count, using: &random)]
        var bytes = original
        repeat {
            switch kind {
            case .otherEnginesFile:
                bytes = others.randomElement(using: &random) ?? []
                if Bool.random(using: &random) { Self.flip(&bytes, &random) }
            default: Self.damage(&bytes, kind, &random)
            }
        } while bytes == original
        self.bytes = bytes
    }

    private static func damage(
        _ bytes: inout [UInt8], _ kind: Kind, _ random: inout SeededRandom
    ) {
        let pageCount = max(1, bytes.count / pageByteCount)
        func page() -> Range<Int> {
            let start = Int.random(in: 0..<pageCount, using: &random) * pageByteCount
            return start..<min(start + pageByteCount, bytes.count)
        }
        switch kind {
        case .flippedBits: flip(&bytes, &random)
        case .cut: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
        case .cutAtPage: bytes = Array(bytes.prefix(page().lowerBound))
        case .garbage: fill(&bytes, piece(of: bytes, &random), &random)
        case .zeroedPage:
            for index in page() { bytes[index] = 0 }
        case .swappedPages:
            let (one, two) = (page(), page())
            let count = min(one.count, two.count)
            for offset in 0..<count {
                bytes.swapAt(one.lowerBound + offset, two.lowerBound + offset)
            }
            if one == two { flip(&bytes, &random) }
        case .movedPiece:
            let from = piece(of: bytes, &random)
            let to = Int.random(in: 0...bytes.count - from.count, using: &random)
            bytes.replaceSubrange(to..<to + from.count, with: Array(bytes[from]))
        case .appended:
            let end = bytes.count
            bytes += [UInt8](repeating: 0, count: Int.random(in: 1...9000, using: &random))
            fill(&bytes, end..<bytes.count, &random)
        case .allGarbage, .otherEnginesFile:
            bytes = [UInt8](repeating: 0, count: Int.random(in: 0...9000, using: &random))
            fill(&bytes, 0..<bytes.count, &random)
        }
    }

    private static func flip(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
    }

    private static func piece(
        of bytes: [UInt8], _ random: inout SeededRandom
    ) -> Range<Int> {
        let count = Int.random(in: 1...min(600, bytes.count), using: &random)
        let start = Int.random(in: 0...bytes.count - count, using: &random)
        return start..<start + count
    }

    private static func fill(
        _ bytes: inout [UInt8], _ range: Range<Int>, _ random: inout SeededRandom
    ) {
        for index in range { bytes[index] = UInt8.random(in: 0...255, using: &random) }
    }
}
