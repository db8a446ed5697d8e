import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import SaveArrangements
import Testing

/// The arrangements of docs/saving-without-freezing.md, which Examples/Freezing measures.
@Suite(.serialized, .timeLimit(.minutes(2))) @MainActor
struct `Arrangements for saving without freezing` {
    private static let count = 2_000

    @Test(arguments: everyEngine)
    func `store every object while the main actor keeps ticking`(_ type: StoreType) async throws {
        let folder = try TemporaryFolder()

        for arrangement in SaveArrangement.allCases where arrangement != .privateParentOfReader {
            let measured = try await SaveRun(
                engine: type, arrangement: arrangement, objectCount: Self.count
            ).measure(in: folder.url)

            #expect(measured.isComplete, "\(arrangement)")
            #expect(measured.storedCount == Self.count, "\(arrangement)")
            #expect(measured.lateness.count > 20, "\(arrangement)")
            #expect(measured.readTime == nil)
        }
    }

    /// On a busy machine, the save may end before the read begins. The test then repeats with more objects.
    @Test func `let a child read while its private parent saves`() async throws {
        let folder = try TemporaryFolder()
        var measured: SaveMeasurement?

        for count in [Self.count, 10 * Self.count, 50 * Self.count] where measured == nil {
            let run = SaveRun(
                engine: "SQLite", arrangement: .privateParentOfReader, objectCount: count)
            do {
                measured = try await run.measure(in: folder.url)
            } catch RunError.readAfterSave {
                continue
            }
        }

        #expect(measured?.isComplete == true)
        #expect(measured?.readTime != nil)
    }

    @Test func `are incomplete if an object is missing or nothing ticked`() {
        let lateness: [Duration] = [.milliseconds(3), .milliseconds(1), .milliseconds(2)]

        let complete = Self.measurement(stored: 3, lateness)
        let missing = Self.measurement(stored: 2, lateness)
        let silent = Self.measurement(stored: 3, [])

        #expect(complete.isComplete)
        #expect(!missing.isComplete)
        #expect(!silent.isComplete)
    }

    @Test func `are described by their latest ticks`() {
        let lateness = (1...200).reversed().map { Duration.milliseconds($0) }

        let measured = Self.measurement(stored: 3, lateness)

        #expect(measured.lateness(ofShare: 1) == .milliseconds(200))
        #expect(measured.lateness(ofShare: 0.99) == .milliseconds(198))
        #expect(Self.measurement(stored: 3, []).lateness(ofShare: 1) == .zero)
    }

    @Test func `are those that docs slash saving-without-freezing lists`() throws {
        let page = try Repository.text("docs/saving-without-freezing.md")
            .replacingOccurrences(of: "`", with: "")

        let rows = SaveArrangement.allCases.filter { page.contains("| \($0.rawValue) |") }

        #expect(rows == SaveArrangement.allCases)
        #expect(page.contains("--package-path Examples/Freezing freezing"))
    }

    private static func measurement(stored: Int, _ lateness: [Duration]) -> SaveMeasurement {
        SaveMeasurement(
            arrangement: .mainContext, expectedCount: 3, storedCount: stored, saveTime: .zero,
            lateness: lateness, readTime: nil)
    }
}
