import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import GraphSupport

@testable import CairnStack
@testable import CairnTool

/// How the two editors of a run reach the stores.
enum EditorAccess: String, Hashable, Sendable, CaseIterable {
    /// Two contexts of one coordinator.
    case contexts
    /// Two processes with the same model.
    case processes
    /// Two processes whose configurations are different subsets of the model.
    case programs
}

/// Runs steps of two editors on new stores, and checks every save.
///
/// The number of steps, the engines and the policies are those of ``SharedSequence``.
final class SharedRun {
    private static let models = (0..<4).map { number in Result { try SharedModel(number: number) } }

    private let sequence: SharedSequence
    private let model: SharedModel
    private let folder: TemporaryFolder
    private let coordinator: PersistentStoreCoordinator
    private let editors: [any EditorLink]

    private var content = StoredContent()
    private var numbers: [String: Int] = [:]
    /// The entities of all objects that were ever stored, by number.
    private var entities: [Int: String] = [:]
    /// The edits of each editor that are not saved, from the context of the store to the newest child.
    private var layers = [[PendingEdits()], [PendingEdits()]]
    /// The number of the save after which each editor read its first object.
    private var beginnings = [0, 0]
    private var saveCount = 0
    /// The saves that changed each object, with the editor.
    private var savesByObject: [Int: [(save: Int, editor: Int)]] = [:]
    private var serial = 0
    /// The objects of the last edits of both editors.
    private var recent: [Int] = []

    private let urls: [URL?]

    /// What the editors did, for messages.
    private(set) var trace: [String] = []
    private(set) var tally = SharedTally()

    init(_ sequence: SharedSequence) throws {
        self.sequence = sequence
        model = try Self.models[sequence.seed % Self.models.count].get()
        folder = try TemporaryFolder()
        urls = sequence.engines.enumerated().map { [folder] index, type in
            folder.url(of: type, "shared\(index).store")
        }
        coordinator = try Self.coordinator(sequence.programModel ?? model, sequence.engines, urls)
        switch sequence.access {
        case .contexts:
            editors = [0, 1].map { [coordinator, model] _ in Editor(coordinator, key: model.key) }
        case .processes, .programs:
            editors = try [0, 1].map { [model, urls] index in
                try RemoteEditor(
                    ["edit", "\(model.number)", sequence.configuration(index) ?? "-"]
                        + zip(sequence.engines, urls).flatMap { [$0.rawValue, $1?.path ?? ""] })
            }
        }
        try read()
    }

    private static func coordinator(
        _ model: SharedModel, _ engines: [StoreType], _ urls: [URL?]
    ) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model.model)
        for (type, url) in zip(engines, urls) {
            try coordinator.addPersistentStore(ofType: type, at: url)
        }
        return coordinator
    }

    /// Runs the steps.
    ///
    /// - Throws: ``Disagreement``.
    func run(_ steps: [SharedStep]) throws {
        for (index, step) in steps.enumerated() {
            try apply(step)
            if (index + 1) % 20 == 0 { try verify() }
        }
        try verify()
    }

    // MARK: Steps

    private func apply(_ step: SharedStep) throws {
        tally.steps += 1
        switch step {
        case .edit(let editor, let inRoot, let picks): try edit(editor, inRoot, picks)
        case .save(let editor, let thenReset):
            let reply = try perform(editor, .save(sequence.policies[editor]))
            try checkSave(editor, reply)
            if reply.refusal != nil, thenReset { try apply(.reset(editor: editor)) }
        case .saveTogether: try saveTogether()
        case .reset(let editor):
            _ = try perform(editor, .reset)
            begin(editor)
        case .rollback(let editor):
            _ = try perform(editor, .rollback)
            layers[editor] = [PendingEdits()]
        case .refreshAll(let editor): _ = try perform(editor, .refreshAll)
        case .forget(let editor): _ = try perform(editor, .forget)
        case .beginChild(let editor):
            guard layers[editor].count < 3 else { return }
            _ = try perform(editor, .beginChild)
            layers[editor].append(PendingEdits())
        case .saveChild(let editor):
            guard layers[editor].count > 1 else { return }
            let reply = try perform(editor, .saveChild)
            let child = layers[editor].removeLast()
            if let refusal = reply.refusal {
                tally.note(refusal)
            } else {
                layers[editor][layers[editor].count - 1].merge(child)
            }
        case .dropChild(let editor):
            guard layers[editor].count > 1 else { return }
            _ = try perform(editor, .dropChild)
            layers[editor].removeLast()
        }
    }

    private func begin(_ editor: Int) {
        layers[editor] = [PendingEdits()]
        beginnings[editor] = saveCount
    }

    private func perform(_ editor: Int, _ request: EditorRequest) throws -> EditorReply {
        trace.append("\(editor): \(request.summary)")
        let reply = try editors[editor].perform(request)
        note(reply)
        if let problem = reply.problem { throw Disagreement(problem) }
        return reply
    }

    private func note(_ reply: EditorReply) {
        let skipped = reply.skipped.compactMap { $0?.prefix(60) }
        if !skipped.isEmpty { trace.append("   skipped: \(skipped.joined(separator: "; "))") }
        if !reply.conflicts.isEmpty {
            trace.append("   conflicts: \(reply.conflicts.map { described($0.object) })")
        }
        if !reply.references.isEmpty {
            trace.append("   references: \(reply.references.map(described))")
        }
        if let refusal = reply.refusal {
            trace.append(
                "   refused: \(refusal.kind) \(refusal.code) of \(refusal.objects.map(described))")
        }
    }

    private func described(_ reference: SharedReference) -> String {
        number(reference).map(String.init) ?? "\(reference)"
    }

    private func number(_ reference: SharedReference) -> Int? {
        switch reference {
        case .number(let number): number
        case .uri(let uri): numbers[uri]
        }
    }

    // MARK: Edits

    private func edit(_ editor: Int, _ inRoot: Bool, _ picks: [SharedPick]) throws {
        let layer = inRoot ? 0 : layers[editor].count - 1
        var edits: [SharedEdit] = []
        var choice = SharedChoice(
            sequence: sequence, model: model, content: content,
            entities: try model.entities(of: sequence.shapes, in: sequence.configuration(editor)),
            layers: layers[editor], recent: recent)
        for pick in picks {
            serial += 1
            guard let edit = choice.choose(pick, layer, serial) else { continue }
            edits.append(edit)
            choice.note(edit, layer)
            recent = recent.suffix(6) + edit.numbers
        }
        let made = edits.flatMap { [$0] + sequence.additions(to: $0, in: content) }
        if edits.isEmpty { return }
        let wanted = Set(made.flatMap(\.numbers))
        let reply = try perform(
            editor,
            .edit(made, uris: content.uris.filter { wanted.contains($0.key) }, inRoot: inRoot))
        choice.layers = layers[editor]
        for (edit, skipped) in zip(made, reply.skipped) where edits.contains(edit) {
            if let skipped {
                tally.skipped += 1
                var isExpected = ["objectGone", "deleted", "unknown"].contains {
                    skipped.hasPrefix($0)
                }
                if case .move = edit {
                    isExpected = isExpected || skipped.hasPrefix("relationshipAcrossStores")
                }
                if !isExpected { throw Disagreement("\(edit) failed: \(skipped)") }
                // An edit that found one of its objects gone may have changed the other one.
                if case .insert = edit { continue }
                if !skipped.hasPrefix("objectGone") { continue }
            }
            choice.note(edit, layer)
        }
        layers[editor] = choice.layers
    }

    // MARK: Saves

    private func checkSave(_ editor: Int, _ reply: EditorReply) throws {
        let before = content
        try read()
        if let refusal = reply.refusal {
            guard content.objects == before.objects else {
                throw Disagreement("a refused save changed the store")
            }
            return try check(refusal, of: editor, reply)
        }
        tally.saves += 1
        if !reply.conflicts.isEmpty || !reply.references.isEmpty { tally.resolved += 1 }
        noteChanges(since: before, by: [editor])
        let violations = content.violations(model.model)
        let problems = check(editor, reply, before).problems() + shownProblems(reply)
        layers[editor][0] = PendingEdits()
        guard violations.isEmpty, problems.isEmpty else {
            throw Disagreement((violations + problems.sorted()).joined(separator: "; "))
        }
    }

    private func check(_ editor: Int, _ reply: EditorReply, _ before: StoredContent) -> SaveCheck {
        var changes: [Int: SharedChange] = [:]
        for change in reply.changes {
            guard let number = number(change.object) else { continue }
            var change = change
            change.values = change.values.mapValues(resolved)
            changes[number] = change
        }
        var conflicts: [Int: [String: SharedValue]] = [:]
        for conflict in reply.conflicts {
            guard let number = number(conflict.object), conflicts[number] == nil else { continue }
            conflicts[number] = conflict.read.mapValues(resolved)
        }
        let others = savesByObject.values.joined().contains {
            $0.editor != editor && $0.save > beginnings[editor]
        }
        return SaveCheck(
            model: model, policy: sequence.policies[editor], entities: entities, before: before,
            after: content,
            pending: layers[editor][0], changes: changes, conflicts: conflicts,
            references: Set(reply.references.compactMap(number)), isAlone: !others)
    }

    /// Whether a store contains an object with this ID.
    private func isPresent(_ reference: SharedReference) -> Bool {
        guard case .uri(let uri) = reference, let number = numbers[uri] else { return false }
        return content.uris[number] == uri
    }

    private func resolved(_ value: SharedValue) -> SharedValue {
        guard case .object(let reference) = value, let number = number(reference) else {
            return value
        }
        return .object(.number(number))
    }

    /// An object whose version the context knows must have the stored values.
    private func shownProblems(_ reply: EditorReply) -> [String] {
        reply.shown.flatMap { shown -> [String] in
            guard let number = number(shown.object), let stored = content.objects[number],
                isPresent(shown.object), stored.version == shown.version
            else { return [] }
            return shown.values.compactMap { name, value in
                let (value, found) = (plain(resolved(value)), plain(stored.value(name)))
                return value == found
                    ? nil
                    : "the context shows \(number).\(name) as \(value), but \(found) is stored"
            }
        }
    }

    /// Objects that are gone have no number, and may be known by several names.
    private func plain(_ value: SharedValue) -> SharedValue {
        guard case .object(let reference) = value else { return value }
        guard let number = number(reference), content.objects[number] != nil else {
            return .object(.uri("missing"))
        }
        return .object(.number(number))
    }

    private func read() throws {
        content = try StoredContent(
            of: coordinator.persistentStores, model, sequence.shapes, known: numbers)
        for (number, uri) in content.uris { numbers[uri] = number }
        for (number, object) in content.objects { entities[number] = object.entity }
    }

    private func noteChanges(since before: StoredContent, by editors: [Int]) {
        saveCount += 1
        for number in Set(before.objects.keys).union(content.objects.keys)
        where before.objects[number] != content.objects[number] {
            for editor in editors { savesByObject[number, default: []].append((saveCount, editor)) }
        }
    }

    /// A refused save must name an object that really changed, or that breaks a rule.
    private func check(_ refusal: SharedRefusal, of editor: Int, _ reply: EditorReply) throws {
        tally.note(refusal)
        // A context that does not have the values of an object that others deleted cannot store it again.
        let mayFail: [ConflictPolicy] =
            refusal.kind == "referenceConflicts" ? [.error, .objectTrump, .overwrite] : [.error]
        let isConflict = ["mergeConflicts", "referenceConflicts"].contains(refusal.kind)
        // No policy chooses between a move and a reference that others saved.
        let hasMoves = layers[editor].contains { !$0.transfers.isEmpty }
        if isConflict, !hasMoves, !mayFail.contains(sequence.policies[editor]) {
            throw Disagreement("a policy did not resolve: \(refusal.text)")
        }
        let named = refusal.objects.compactMap(number)
        // The row cache of a process may be older than the saves of other processes before a reset.
        let beginning = sequence.access == .contexts ? beginnings[editor] : 0
        func hasChanged(_ number: Int) -> Bool {
            savesByObject[number]?.contains { $0.editor != editor && $0.save > beginning } ?? false
        }
        switch refusal.kind {
        case "mergeConflicts":
            if let other = named.first(where: { !hasChanged($0) }) {
                throw Disagreement("\(other) did not change: \(refusal.text)")
            }
        case "objectGone":
            // An object that moved is gone under its former ID.
            if let other = refusal.objects.first(where: isPresent) {
                throw Disagreement("\(other) is not gone: \(refusal.text)")
            }
        case "relationshipAcrossStores" where hasMoves: break
        case "validation": break
        default:
            if !named.contains(where: hasChanged) {
                throw Disagreement("refused, but nothing changed: \(refusal.kind): \(refusal.text)")
            }
        }
        if refusal.objects.isEmpty { throw Disagreement("no object is named: \(refusal.text)") }
    }

    // MARK: Saving together

    /// Both editors save at the same time. Either order is right, so only the rules are checked, and that each
    /// object was changed by one of them. Contexts of one store wait for each other, so that they share a commit.
    private func saveTogether() throws {
        trace.append("both save")
        let results = Results()
        let (editors, policies) = (self.editors, sequence.policies)
        let queue = sequence.access == .contexts ? heldQueue() : nil
        let threads = (0..<2).map { index in
            Thread {
                let result = Result { try editors[index].perform(.save(policies[index])) }
                results.set(result, at: index)
            }
        }
        for thread in threads { thread.start() }
        if let queue {
            // A save that fails early does not wait.
            while queue.waiterCount + results.count < 2 { usleep(50) }
            tally.together += queue.waiterCount == 2 ? 1 : 0
            queue.leave()
        }
        let replies = try results.all()
        let before = content
        try read()
        noteChanges(since: before, by: [0, 1])
        for (editor, reply) in replies.enumerated() {
            note(reply)
            if let problem = reply.problem { throw Disagreement(problem) }
            if let refusal = reply.refusal {
                try check(refusal, of: editor, reply)
            } else {
                tally.saves += 1
            }
        }
        let saved = replies.filter { $0.refusal == nil }
        if saved.isEmpty, content.objects != before.objects {
            throw Disagreement("two refused saves changed the store")
        }
        let violations = content.violations(model.model)
        if !violations.isEmpty { throw Disagreement(violations.joined(separator: "; ")) }
        if saved.count == 1, let editor = replies.firstIndex(where: { $0.refusal == nil }) {
            let problems = check(editor, replies[editor], before).problems()
            if !problems.isEmpty { throw Disagreement(problems.joined(separator: "; ")) }
        }
        for (editor, reply) in replies.enumerated() where reply.refusal == nil {
            layers[editor][0] = PendingEdits()
        }
    }

    /// Leads the queue of the only store, and returns it. Returns `nil` if there are several stores.
    private func heldQueue() -> GroupSave.Queue? {
        let stores = coordinator.attachedStores
        guard stores.count == 1, let queue = stores.first?.waitingSaves, queue.tryToLead() else {
            return nil
        }
        return queue
    }

    private final class Results: @unchecked Sendable {
        // Unchecked because the condition's lock protects the results.
        private let condition = NSCondition()
        private var results: [Int: Result<EditorReply, any Error>] = [:]

        func set(_ result: Result<EditorReply, any Error>, at index: Int) {
            condition.withLock {
                results[index] = result
                condition.signal()
            }
        }

        var count: Int { condition.withLock { results.count } }

        /// Waits for both.
        func all() throws -> [EditorReply] {
            condition.withLock { while results.count < 2 { condition.wait() } }
            return try [0, 1].compactMap { try results[$0]?.get() }
        }
    }

    // MARK: Verifying

    /// Reads the stores with a new coordinator, and checks everything that `cairn store verify` checks.
    private func verify() throws {
        tally.verifications += 1
        let isInMemory = sequence.engines.contains(.inMemory)
        let opened = try isInMemory ? coordinator : Self.coordinator(model, sequence.engines, urls)
        defer {
            if !isInMemory { for store in opened.persistentStores { try? opened.remove(store) } }
        }
        let found = try StoredContent(
            of: opened.persistentStores, model, sequence.shapes, known: numbers)
        guard found.objects == content.objects else {
            throw Disagreement("a new coordinator reads something else")
        }
        for store in opened.persistentStores {
            let disagreements = try (store as? any SelfCheckingStore)?.findDisagreements() ?? []
            let snapshot = try store.snapshot()
            defer { snapshot.end() }
            let report = try StoreVerifier(snapshot: snapshot, layouts: store.request.layouts)
                .verify()

            guard disagreements.isEmpty, report.problems.isEmpty else {
                throw Disagreement(
                    "verify: \(disagreements.map(\.description) + report.problems.map(\.description))"
                )
            }
        }
    }
}
