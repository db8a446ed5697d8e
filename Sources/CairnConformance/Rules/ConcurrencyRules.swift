import CairnModel
import CairnStore
import Foundation
import Synchronization

let concurrencyRules: [ConformanceRule] = [
    ConformanceRule(
        "a save waits for other saves up to the timeout option, and then throws .busy",
        proves: [
            "PersistentStore.beginSave(): If the engine has", "PersistentStore.beginSave(): .busy",
            "StoreOption.timeout: The number of seconds",
        ]
    ) {
        subject in
        try subject.requireSavesInTurn()
        let location = subject.harness.location("busy", in: subject.folder)
        let store = try subject.open(
            OpenRequest(location: location, model: subject.model, options: [.timeout: 0.05]))
        defer { try? store.close() }
        let save = try store.beginSave()
        do {
            defer { save.rollback() }
            try requireBusy("the other save") { try store.beginSave().rollback() }
        }
        try store.beginSave().rollback()
    },
    ConformanceRule(
        "a save that has to wait begins when the other save has ended",
        proves: [
            "PersistentStore.beginSave(): If the engine has",
            "PersistentStore.beginSave(): Only the engine waits",
        ]
    ) { subject in
        try subject.requireSavesInTurn()
        let location = subject.harness.location("patient", in: subject.folder)
        let store = try subject.open(
            OpenRequest(location: location, model: subject.model, options: [.timeout: 60]))
        defer { try? store.close() }
        let save = try store.beginSave()
        let outcome = Mutex<Result<Void, any Error>?>(nil)
        let hasEnded = DispatchSemaphore(value: 0)
        Thread {
            let result = Result { try store.beginSave().rollback() }
            outcome.withLock { $0 = result }
            hasEnded.signal()
        }.start()
        // An engine that does not wait has answered by then. An engine that waits passes the rule, however
        // long the save takes.
        let isEarly = hasEnded.wait(timeout: .now() + .milliseconds(200)) == .success
        save.rollback()
        if !isEarly { hasEnded.wait() }
        let result = try requireValue(outcome.withLock { $0 }, "the other save's outcome")
        do { try result.get() } catch {
            throw RuleViolation(detail: "the other save did not wait: \(error)")
        }
        try require(!isEarly, "the other save begins once the first has ended")
    },
    ConformanceRule(
        "several threads can save at the same time, and no save is lost",
        proves: [
            "PersistentStore: They are safe to", "PersistentStore.beginSave(): Begins a save and",
        ]
    ) { subject in
        let id = try subject.insert("Album", ["year": 0])
        try onThreads(4) { _ in
            for _ in 0..<10 { try subject.raiseYear(of: id) }
        }
        try requireEqual(try subject.value("year", of: id), 40, "the number of saves")
        try requireEqual(try subject.row(of: id)?.version, 41, "the version")
    },
    ConformanceRule(
        "a snapshot has the generation of what it shows, also while other threads save",
        proves: ["StoreSnapshot.generation: The state that the"]
    ) { subject in
        let id = try subject.insert("Album", ["year": 0])
        let saved = Mutex<[StoreGeneration: Value]>([:])
        let seen = Mutex<[(StoreGeneration, Value?)]>([])
        let readers = Mutex(2)
        try onThreads(3) { index in
            defer { if index > 0 { readers.withLock { $0 -= 1 } } }
            do {
                // Saves go on as long as there are readers.
                for year in 1...500 as ClosedRange<Int64>
                where index == 0 && readers.withLock({ $0 > 0 }) {
                    let outcome = try subject.save {
                        try $0.update("Album", id, from: year, ["year": .integer(year)])
                    }
                    saved.withLock { $0[outcome.generation] = .integer(year) }
                }
                for _ in 1...20 where index > 0 {
                    let snapshot = try subject.store.snapshot()
                    let value = try subject.value("year", of: id, in: snapshot)
                    seen.withLock { $0.append((snapshot.generation, value)) }
                }
            } catch StoreError.busy {
                // A reader of an engine that cannot read during a save.
            }
        }
        let known = saved.withLock { $0 }
        for (generation, value) in seen.withLock({ $0 }) {
            guard let year = known[generation] else { continue }
            try requireEqual(value, year, "what the snapshot of generation \(generation) shows")
        }
    },
    ConformanceRule(
        "readers see only complete saves while other threads save",
        proves: [
            "PersistentStore.snapshot(): Returns a snapshot of",
            "PersistentStore.snapshot(): .busy", "StoreSnapshot: A consistent, read-only view",
            "StoreCapabilities.readsDuringSave: Whether the store can",
        ]
    ) { subject in
        let ids = try subject.insertAll("Album", [["year": 0], ["year": 0]])
        try onThreads(4) { index in
            if index == 0 { return try savePairs(of: ids, in: subject) }
            for _ in 0..<25 { try readPair(ids, in: subject) }
        }
    },
    ConformanceRule(
        "one snapshot may be read by several threads",
        proves: ["PersistentStore: They are safe to", "StoreSnapshot: Several threads may call"]
    ) { subject in
        _ = try MusicFixture(subject, copies: 5)
        let snapshot = try subject.store.snapshot()
        let expected = try subject.rows("Track", in: snapshot).map(\.id)
        try onThreads(4) { _ in
            for _ in 0..<10 {
                let found = try subject.rows("Track", in: snapshot).map(\.id)
                try requireEqual(found, expected, "the rows that a thread reads")
            }
        }
    },
    ConformanceRule(
        "two threads never reserve the same key",
        proves: ["SaveTransaction.reserveKeys(_:): A key is never"]
    ) { subject in
        let keys = Mutex<[Int64]>([])
        try onThreads(4) { _ in
            for _ in 0..<5 {
                let range = try subject.keys("Album", 3)
                keys.withLock { $0 += range }
            }
        }
        let given = keys.withLock { $0 }
        try requireEqual(given.count, 60, "the number of keys")
        try requireEqual(Set(given).count, 60, "the number of different keys")
    },
]

extension StoreSubject {
    /// Ends a rule about waiting if the engine's saves do not wait for each other, or if the engine has
    /// no option for how long to wait.
    func requireSavesInTurn() throws(RuleNotApplicable) {
        if harness.engine.capabilities.savesInParallel {
            throw RuleNotApplicable("its saves do not wait for each other")
        }
        try requireTimeoutOption()
    }

    /// Ends a rule about waiting if the engine has no option for how long to wait.
    func requireTimeoutOption() throws(RuleNotApplicable) {
        if harness.engine.capabilities.options.contains(.timeout) { return }
        throw RuleNotApplicable("it has no option “timeout”")
    }
}

/// Requires that a save on another thread is refused because others take too long.
func requireBusy(_ name: String, _ save: @escaping @Sendable () throws -> Void) throws {
    let outcome = Mutex<Result<Void, any Error>?>(nil)
    onAnotherThread {
        let result = Result(catching: save)
        outcome.withLock { $0 = result }
    }
    let result = try requireValue(outcome.withLock { $0 }, "the outcome of \(name)")
    try requireError(name, .busy) { try result.get() }
}

/// Runs the body on a new thread, and waits until it returns.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        body()
        done.signal()
    }
    thread.start()
    done.wait()
}

/// Runs the body on new threads, with their numbers from 0, and waits until all have returned. They begin together:
/// `DispatchQueue.concurrentPerform` may run one after another, and what a rule is about would not happen.
///
/// - Throws: a violation with the errors of the threads.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let failures = Mutex<[String]>([])
    let (begin, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    for index in 0..<count {
        Thread {
            begin.wait()
            do { try body(index) } catch { failures.withLock { $0.append("\(error)") } }
            done.signal()
        }.start()
    }
    for _ in 0..<count { begin.signal() }
    for _ in 0..<count { done.wait() }
    try requireEqual(failures.withLock { $0 }, [], "the errors of threads")
}

private func savePairs(of ids: [ObjectID], in subject: StoreSubject) throws {
    for version in 1...15 as ClosedRange<Int64> {
        try subject.save { draft in
            for id in ids {
                try draft.update("Album", id, from: version, ["year": .integer(version)])
            }
        }
    }
}

private func readPair(_ ids: [ObjectID], in subject: StoreSubject) throws {
    do {
        let snapshot = try subject.store.snapshot()
        let years = try ids.map { try subject.value("year", of: $0, in: snapshot) }
        try require(years[0] == years[1], "one save changed both objects")
    } catch StoreError.busy {
        // An engine may make readers wait for a save, but no longer than its option says.
        try require(
            !subject.harness.engine.capabilities.readsDuringSave, "readers continue during a save")
    }
}

extension StoreSubject {
    /// Adds 1 to an album's year. Tries again if another save changed the album first.
    func raiseYear(of id: ObjectID) throws {
        while true {
            let row = try requireValue(try row(of: id), "the row")
            guard case .integer(let year) = try value("year", of: row) else {
                throw RuleViolation(detail: "the year is not a number")
            }
            do {
                try save {
                    try $0.update("Album", id, from: row.version, ["year": .integer(year + 1)])
                }
                return
            } catch StoreError.rowConflicts, StoreError.busy {
                continue
            }
        }
    }
}
