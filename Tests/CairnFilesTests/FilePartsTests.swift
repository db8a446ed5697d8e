import CairnFiles
import CairnRows
import CairnTestSupport
import Foundation
import Testing

@Suite struct `Bytes in parts` {
    /// Returns parts with owned and borrowed bytes of many lengths, in random order, and their concatenation.
    private static func make(
        _ count: Int, of memory: UnsafeRawBufferPointer, _ random: inout SeededRandom
    ) -> (parts: FileParts, bytes: [UInt8]) {
        var parts = FileParts(owner: nil)
        var bytes: [UInt8] = []
        var offset = 0
        for _ in 0..<count {
            let length = Int(random.next() % 4 == 0 ? random.next() % 5000 : random.next() % 40)
            // Otherwise the block starts where the last one ended: adjacent blocks become one part.
            if random.next() % 2 == 0 { offset = Int(random.next() % 10_000) }
            let block = UnsafeRawBufferPointer(rebasing: memory[offset..<offset + length])
            offset = min(offset + length, 10_000)
            bytes += block
            if random.next() % 2 == 0 { parts.append(block) } else { parts.append(held: block) }
        }
        return (parts, bytes)
    }

    @Test func `equal contiguous bytes, and so does their checksum`() {
        var random = SeededRandom(seed: 11)
        let memory = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256) }
        memory.withUnsafeBytes { memory in
            for count in 0..<200 {
                let (parts, bytes) = Self.make(count % 20, of: memory, &random)

                #expect(parts.count == bytes.count)
                #expect(parts.withParts { $0.flatMap(Array.init) } == bytes)
                #expect(parts.withParts { Checksum.of($0) } == bytes.withUnsafeBytes(Checksum.of))
            }
        }
    }

    @Test func `are written completely, even if one call cannot take them all`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "parts")
        let memory = (0..<8_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

        let expected = try memory.withUnsafeBytes { memory -> [UInt8] in
            var (parts, bytes) = (FileParts(owner: nil), [UInt8]())
            for offset in 0..<3_000 {
                let block = UnsafeRawBufferPointer(rebasing: memory[offset..<offset + 1_500])
                parts.append(held: block)
                bytes += block
            }
            try DurableFile(url).prepare(parts).replace()
            return bytes
        }

        #expect(try Data(contentsOf: url) == Data(expected))
    }

    @Test func `can be overwritten if the parts own them`() {
        var parts = FileParts([])
        let offset = parts.nextOwnOffset()
        [UInt8](repeating: 0, count: 4).withUnsafeBytes { parts.append($0) }
        [UInt8]([1, 2]).withUnsafeBytes { parts.overwrite($0, atOwn: offset + 1) }

        #expect(parts.withParts { $0.flatMap(Array.init) } == [0, 1, 2, 0])
    }
}
