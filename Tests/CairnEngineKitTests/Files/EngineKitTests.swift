import CairnEngineKit
import CairnFiles
import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import Foundation
import Testing

/// Helpers that relieve engine authors of repeated code.
@Suite struct `Engine kit` {
    private let location = StoreLocation.memory("kit")

    private func isMisuse(_ body: () throws(StoreError) -> Void) -> Bool {
        do {
            try body()
        } catch {
            if case .engineFailure = error { return true }
        }
        return false
    }

    @Test func `prepares, commits and ends a save once`() throws {
        var progress = SaveProgress<Int>(of: "Kit", at: location)

        let earlyCommit = isMisuse { () throws(StoreError) in _ = try progress.beginCommit() }
        try progress.beginPreparing()
        let unfinished = isMisuse { () throws(StoreError) in _ = try progress.beginCommit() }
        progress.finishPreparing(7)
        let second = isMisuse { () throws(StoreError) in try progress.beginPreparing() }
        let prepared = try progress.beginCommit()
        let again = isMisuse { () throws(StoreError) in _ = try progress.beginCommit() }
        let ends = [progress.end(), progress.end()]
        let late = isMisuse { () throws(StoreError) in try progress.requireRunning("reserve") }

        #expect(prepared == 7)
        #expect([earlyCommit, unfinished, second, again, late] == [true, true, true, true, true])
        #expect(ends == [true, false])
    }

    @Test func `accepts a timeout in seconds, at most a year`() throws {
        let given: [(StoreOptions, Duration?)] = [
            ([:], .seconds(5)), ([.timeout: 0], .zero), ([.timeout: 0.5], .milliseconds(500)),
            ([.timeout: 31_536_000], .seconds(31_536_000)), ([.timeout: 31_536_001], nil),
            ([.timeout: -1], nil), ([.timeout: "5"], nil), ([.timeout: .real(.nan)], nil),
        ]

        let found = given.map { try? $0.0.timeout() }

        #expect(found == given.map(\.1))
    }

    @Test func `refuses unknown options, and names the first in order of names`() {
        let options: StoreOptions = [.timeout: 1, "b": 1, "a": 1]

        #expect {
            try options.requireKnown([.timeout], by: "a kit store")
        } throws: {
            guard case StoreError.invalidOption("a", let detail) = $0 else { return false }
            return detail == "a kit store has no such option. Its options are timeout"
        }
    }

    @Test func `waits for a lock that another holds until the timeout`() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.file("lock").path
        let location = location
        var first: FileLock? = try FileLock.wait(at: path, timeout: .zero, for: location)

        #expect {
            _ = try FileLock.wait(at: path, timeout: .milliseconds(20), for: location)
        } throws: {
            guard case StoreError.busy(_, .milliseconds(20)) = $0 else { return false }
            return true
        }
        withExtendedLifetime(first) {}
        first = nil
        _ = try FileLock.wait(at: path, timeout: .zero, for: location)
    }

    @Test func `stops waiting for a lock when its task is cancelled`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.file("lock").path
        let location = location
        let first = try FileLock.wait(at: path, timeout: .zero, for: location)

        let waiting = Task.detached {
            Result { try FileLock.wait(at: path, timeout: .seconds(3600), for: location) }
        }
        waiting.cancel()
        let outcome = await waiting.value

        #expect(throws: StoreError.self) { try outcome.get() }
        withExtendedLifetime(first) {}
    }

    @Test func `finds the unique values of a hierarchy, and none if one is nil`() throws {
        var work = EntityDescription(
            "Work", [.attribute("code", .string), .attribute("n", .integer64)])
        work.uniquenessConstraints = [["code", "n"]]
        let model = try ManagedObjectModel([
            work, EntityDescription("Song", superentity: "Work", [.attribute("key", .string)]),
            EntityDescription("Note", [.attribute("code", .string)]),
        ])
        let layouts = RowLayouts(model)
        var writer = RowWriter(store: StoreNumber(rawValue: 1))
        func add(_ name: String, _ code: String?, _ number: Int64?) throws {
            let layout = layouts.layout(of: try #require(model.entity(named: name)))
            writer.begin(layout, key: 1, version: 1)
            if let number, let slot = layout.slot(named: "n") { writer.set(number, at: slot) }
            if let code { try writer.set(code, at: try #require(layout.slot(named: "code"))) }
            writer.endRow()
        }
        try add("Work", "a", 1)
        try add("Song", "a", 1)
        try add("Work", "a", nil)
        try add("Note", "a", nil)

        let constraint = try #require(UniqueProperties.all(in: layouts).first)
        let values: [[Value]?] = writer.takeBatch().rows.map { constraint.values(of: $0) }

        #expect(values == [[.string("a"), .integer(1)], [.string("a"), .integer(1)], nil, nil])
        #expect(constraint.entity == "Work")
    }
}
