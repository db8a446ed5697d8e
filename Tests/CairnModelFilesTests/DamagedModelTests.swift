import CairnModel
import CairnModelArchive
import CairnSAX
import CairnTestSupport
import Foundation
import Testing

@testable import CairnModelFiles

/// Reading damaged data either throws a typed error or returns a model. A trap would end the whole test run.
@Suite(.enabled(if: Corpus.isThere)) struct `Damaged models` {
    static let compiled = [
        "SwiftGen__SwiftGen/SwiftGen.playground/Resources/Model.momd/Model 2.mom",
        "alemar11__CoreDataPlus/Tests/Resources/SampleModel/Fixtures/SampleModel.momd/SampleModel2.mom",
    ]
    static let sources = [
        "SwiftGen__SwiftGen/Sources/TestUtils/Fixtures/Resources/CoreData/Model.xcdatamodeld/"
            + "Model 2.xcdatamodel/contents",
        "atomicbird__momcom/momcomTests/momcomTests.xcdatamodeld/momcTests 2.xcdatamodel/contents",
    ]

    @Test(arguments: compiled) func `are refused if a compiled model is cut short`(
        _ path: String
    ) throws {
        let bytes = try Self.bytes(path)

        // A separate expectation for each prefix would take longer than the reading.
        var accepted: [Int] = []
        for count in Self.lengths(below: bytes.count) {
            do throws(ModelArchiveError) {
                _ = try ModelArchive.decode(Array(bytes.prefix(count)))
                accepted.append(count)
            } catch {}
        }
        #expect(accepted == [])
    }

    @Test(arguments: compiled) func `are refused or read if a compiled model has a wrong byte`(
        _ path: String
    ) throws {
        let refusedCount = try Self.flip(path) { bytes in
            _ = try ManagedObjectModel(ModelArchive.decode(bytes))
        }

        #expect((Self.copies / 20..<Self.copies).contains(refusedCount))
    }

    @Test(arguments: sources) func `are refused if a source model is cut short`(
        _ path: String
    ) throws {
        let bytes = try Self.bytes(path)
        // The last bytes may be white space.
        let end = try #require(bytes.lastIndex(of: UInt8(ascii: ">")))

        var accepted: [Int] = []
        for count in Self.lengths(below: end) {
            do throws(XMLDamage) {
                _ = try SourceModelReader.description(of: Array(bytes.prefix(count)))
                accepted.append(count)
            } catch {}
        }
        #expect(accepted == [])
    }

    @Test(arguments: sources) func `are refused or read if a source model has a wrong byte`(
        _ path: String
    ) throws {
        let refusedCount = try Self.flip(path) { bytes in
            _ = try ManagedObjectModel(SourceModelReader.description(of: bytes))
        }

        #expect((Self.copies / 20..<Self.copies).contains(refusedCount))
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: Corpus.root.appending(path: path)))
    }

    /// The lengths to cut a file to: every one in a long run, and otherwise every 13th.
    private static func lengths(below end: Int) -> StrideTo<Int> {
        stride(from: 0, to: end, by: TestSetting.isLong ? 1 : 13)
    }

    /// The number of copies with a wrong byte.
    private static var copies: Int { 200 * TestSetting.scale }

    /// Reads copies that each have one wrong byte, and returns how many were rejected. The test fails
    /// with any error of another type.
    private static func flip(_ path: String, _ read: ([UInt8]) throws -> Void) throws -> Int {
        let original = try bytes(path)
        let seed = SeededRandom.seed(of: "damaging \(path)")
        var generator = SeededRandom(seed: seed)
        var refusedCount = 0
        for _ in 0..<copies {
            var damaged = original
            let offset = Int.random(in: damaged.indices, using: &generator)
            damaged[offset] ^= UInt8.random(in: 1...255, using: &generator)
            do {
                try read(damaged)
            } catch is ModelError {
                refusedCount += 1
            } catch is ModelArchiveError {
                refusedCount += 1
            } catch is XMLDamage {
                refusedCount += 1
            }
        }
        return refusedCount
    }
}
