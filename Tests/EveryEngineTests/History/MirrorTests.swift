import Cairn
import CairnTestSupport
import Foundation
import GraphSupport
import Testing

/// Copies of a graph that only the history keeps up to date.
@Suite struct `A mirror of a store` {
    private static let stores: [[StoreType]] =
        everyEngine.map { [$0] } + [["SQLite", "LMDB"], ["LMDB", "Binary", "InMemory"]]

    @Test(arguments: stores)
    func `that applies only what the history says equals the store after each save`(
        _ types: [StoreType]
    ) throws {
        try check(types, programCount: 1)
    }

    @Test(arguments: everyFileEngine.map { [$0] } + [["SQLite", "XML"]])
    func `equals the store after each save of two programs`(_ types: [StoreType]) throws {
        try check(types, programCount: 2)
    }

    /// Makes saves with this program and with another one in turn, and compares the mirror after each. A long
    /// run makes ten times as many saves on engines that do not write their whole file.
    private func check(_ types: [StoreType], programCount: Int) throws {
        let stack = try HistoryStack(types)
        let seed = SeededRandom.seed(of: "mirror of \(types) with \(programCount)")
        var random = SeededRandom(seed: seed)
        let worker = try programCount > 1 ? worker(stack, types, seed) : nil
        var mirror = HistoryMirror(stack.coordinator)
        var people = try RandomPeople(stack.coordinator)
        let isFast =
            programCount == 1 && types.count == 1 && !everyWholeFileEngine.contains(types[0])
        let count = 60 * TestSetting.scale * (TestSetting.isLong && isFast ? 10 : 1)
        for number in 0..<count {
            // A long run has many small stores, and now and then a larger one.
            people.greatestCount = count > 1_000 && number % 1_000 > 50 ? 8 : 120
            if let worker, Bool.random(using: &random) {
                try #require(worker.answer(to: "save") == "saved")
            } else {
                try people.save(&random)
            }
            try mirror.update()
            let differences = try mirror.differences()
            try #require(differences == [], "after save \(number)")
            if number % 10_000 == 9_999 { print("mirror of \(types): \(number + 1) saves") }
        }
        print(
            "mirror of \(types) with \(programCount): \(mirror.transactionCount) transactions,"
                + " \(mirror.changeCounts.sorted { $0.key < $1.key })")
        #expect(mirror.transactionCount >= count / 3)
    }

    private func worker(
        _ stack: HistoryStack, _ types: [StoreType], _ seed: UInt64
    ) throws -> WorkerProcess {
        let stores = types.enumerated().flatMap { [$1.rawValue, stack.url($0).path] }
        let worker = try WorkerProcess(["people", "save", "\(seed)"] + stores)
        try #require(worker.line() == "open")
        return worker
    }

    @Test(arguments: HistoryMirror.Defect.allCases)
    func `notices planted defects`(_ defect: HistoryMirror.Defect) throws {
        let stack = try HistoryStack(["InMemory"])
        var random = SeededRandom(seed: 41)
        var mirror = HistoryMirror(stack.coordinator, defect: defect)
        let people = try RandomPeople(stack.coordinator)
        var differences: [String] = []
        for _ in 0..<60 where differences.isEmpty {
            try people.save(&random)
            try mirror.update()
            differences = try mirror.differences()
        }
        #expect(!differences.isEmpty)
    }
}
