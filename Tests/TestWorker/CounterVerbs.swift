import CairnRows
import CairnStore
import Foundation
import StoreFileSupport

/// The worker's commands for an existing whole-file store of counters.
///
///     counters count TYPE PATH N      adds 1 to counter 1, N times, each time in a separate save
///     counters prepare TYPE PATH      prepares a save, reports that, and waits to be killed
///     counters outgrow TYPE PATH N    limits files to N bytes, and saves a note that is larger
struct CounterVerbs {
    static func run(_ arguments: [String]) throws {
        guard arguments.count >= 3 else { throw WrongArguments(arguments) }
        let counters = try CounterStore(arguments[1], at: URL(fileURLWithPath: arguments[2]))
        let store = try counters.open(createsMissing: false, options: [.timeout: 60])
        let verbs = CounterVerbs(counters: counters, store: store)
        let numbers = arguments.dropFirst(3).compactMap { Int($0) }
        switch (arguments[0], numbers.count) {
        case ("count", 1): try verbs.count(numbers[0])
        case ("prepare", 0): try verbs.prepare()
        case ("outgrow", 1): try verbs.outgrow(numbers[0])
        default: throw WrongArguments(arguments)
        }
    }

    private let counters: CounterStore
    private let store: any PersistentStore

    private func count(_ times: Int) throws {
        var conflictCount = 0
        for _ in 0..<times { conflictCount += try counters.increment(store, 1) }
        TestWorker.say("counted \(times), \(conflictCount) conflicts")
    }

    private func prepare() throws {
        let transaction = try store.beginSave()
        let row = try counters.row(store, 2, value: 2, note: "prepared")
        try transaction.prepare(SaveRequest(inserted: RowBatch([row])))
        TestWorker.say("prepared")
        withExtendedLifetime(transaction) { TestWorker.waitForever() }
    }

    private func outgrow(_ byteCount: Int) throws {
        signal(SIGXFSZ, SIG_IGN)
        try ProcessBounds.limitFiles(toBytes: rlim_t(byteCount))
        let note = String(repeating: "n", count: 2 * byteCount)
        let row = try counters.row(store, 2, value: 2, note: note)
        do {
            try counters.insert(store, row)
            TestWorker.say("saved")
        } catch {
            TestWorker.say("refused: \(error)")
        }
    }
}
