import Cairn
import CairnStore
import Foundation

/// The store that a process checks, and the states in which it may be.
struct CheckingAssignment: Codable, Sendable {
    /// How thoroughly the store is checked.
    enum Depth: String, Codable, Sendable {
        /// The store is read while another process has it open.
        case reading
        /// The store is opened for writing, and closed again.
        case opening
        /// The store is read, opened for writing, saved to, and read again.
        case everything
    }

    var subject: Subject
    /// The last acknowledged save.
    var acknowledged: Int
    /// The last save that was begun.
    var begun: Int
    var depth = Depth.everything
}

/// Checks a store in a separate process in which no call fails. It prints these lines:
///
///     state K             the saves in the store
///     problem TEXT
struct Checker {
    let assignment: CheckingAssignment

    init(_ assignment: CheckingAssignment) { self.assignment = assignment }

    private var subject: Subject { assignment.subject }

    /// Runs all checks. To add a check, add a function and call it here. Checks that change the store come
    /// last.
    func run() throws {
        do {
            if assignment.depth == .opening { return try subject.coordinator().removeAll() }
            guard let found = try checkState() else { return }
            Conversation.say("state \(found)")
            if assignment.depth == .everything {
                try checkSaving(found)
                checkFolder()
            }
        } catch let problem as Problem {
            Conversation.say("problem \(problem.text)")
        } catch {
            Conversation.say("problem \(error)")
        }
    }

    private struct Problem: Error {
        let text: String
    }

    /// Checks that the store is in a state between the last acknowledged save and the last save that was
    /// begun.
    ///
    /// Returns `nil` if there is no store and none is required.
    private func checkState() throws -> Int? {
        guard FileManager.default.fileExists(atPath: subject.file.path) else {
            guard assignment.acknowledged == 0 else { throw Problem(text: "there is no store") }
            if assignment.depth == .everything { try checkSaving(0) }
            Conversation.say("state 0")
            return nil
        }
        let coordinator = try subject.coordinator(options: [.readOnly: true])
        let found = try Self.read(coordinator, subject.workloadType(), subject.seed)
        guard (assignment.acknowledged...assignment.begun).contains(found) else {
            throw Problem(
                text: "\(found) saves are there, of \(assignment.acknowledged) acknowledged"
                    + " and \(assignment.begun) begun")
        }
        try checkIndexes(coordinator)
        try checkHistory(coordinator, found)
        try coordinator.removeAll()
        return found
    }

    /// Checks that the history has one transaction for each save that took place. The author of a save is
    /// its step. A step that failed is saved together with the next one.
    private func checkHistory(_ coordinator: PersistentStoreCoordinator, _ found: Int) throws {
        guard subject.tracksHistory, found > 0 else { return }
        let steps = try coordinator.history().map { $0.author.flatMap(Int.init) ?? 0 }
        let isAscending = zip(steps, steps.dropFirst()).allSatisfy(<)
        guard isAscending, steps.last == found else {
            throw Problem(text: "\(found) saves are there, and the history has \(steps.suffix(5))")
        }
    }

    private func checkIndexes(_ coordinator: PersistentStoreCoordinator) throws {
        for store in coordinator.persistentStores {
            let found = try (store as? any SelfCheckingStore)?.findDisagreements() ?? []
            if let first = found.first {
                throw Problem(text: "\(found.count) disagreements: \(first)")
            }
        }
    }

    /// Checks that the store accepts another save, and contains it after being reopened.
    private func checkSaving(_ found: Int) throws {
        let coordinator = try subject.coordinator()
        let workload = try subject.workloadType()
        try Self.read(coordinator, workload, subject.seed, expecting: found)
        try checkNames(coordinator, found)
        try Self.save(
            coordinator, workload, subject.seed, after: found,
            named: subject.saveID(ofStep: found + 1))
        try coordinator.removeAll()
        let reopened = try subject.coordinator()
        try Self.read(reopened, workload, subject.seed, expecting: found + 1)
        try reopened.removeAll()
        Conversation.say("state \(found + 1)")
    }

    /// Checks that the store reports the save that produced its state as saved, and all later saves as not
    /// saved.
    private func checkNames(_ coordinator: PersistentStoreCoordinator, _ found: Int) throws {
        let first = max(found, 1)
        for step in first...max(assignment.begun, first) {
            guard let id = subject.saveID(ofStep: step) else { return }
            let expected = step == found ? CommitOutcome.saved : .notSaved
            for store in coordinator.persistentStores {
                let outcome = try store.outcome(of: id)
                guard outcome != expected else { continue }
                throw Problem(
                    text: "the store is in state \(found), and says of save \(step): \(outcome)")
            }
        }
    }

    static func save<W: Workload>(
        _ coordinator: PersistentStoreCoordinator, _ type: W.Type, _ seed: UInt64, after step: Int,
        named id: SaveID? = nil
    ) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var workload = W(seed: seed, after: step)
            context.transactionAuthor = "\(step + 1)"
            for edit in workload.advance() { try edit.apply(to: context) }
            try context.save(recordedAs: id)
        }
    }

    /// Checks that a closed store leaves no files that do not belong to it.
    private func checkFolder() {
        guard
            let engine = try? Engines.registry.fileEngine(
                ofType: StoreType(subject.engine), for: .file(subject.file)),
            let names = try? FileManager.default.contentsOfDirectory(atPath: subject.folder)
        else { return }
        let known = engine.companionFiles(of: .file(subject.file)).map(\.url.lastPathComponent)
        let strange = Set(names).subtracting(known).subtracting([subject.file.lastPathComponent])
        if !strange.isEmpty {
            Conversation.say("problem files are left over: \(strange.sorted())")
        }
    }

    // MARK: Reading

    /// Reads every object, and compares them with the state that the store claims.
    @discardableResult
    static func read<W: Workload>(
        _ coordinator: PersistentStoreCoordinator, _ type: W.Type, _ seed: UInt64,
        expecting expected: Int? = nil
    ) throws -> Int {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let found = try W.readStep(context)
            if let expected, found != expected {
                throw Problem(text: "\(expected) saves were read, and \(found) the next time")
            }
            let difference = Set(W(seed: seed, after: found).texts)
                .symmetricDifference(try W.read(context)).sorted()
            if !difference.isEmpty {
                throw Problem(text: "save \(found) is not whole: \(difference.prefix(4))")
            }
            return found
        }
    }
}
