import Cairn
import Foundation
import TortureShim

/// The saves that a process makes, and the fault that it meets.
struct WritingAssignment: Codable, Sendable {
    /// How the process continues after an error.
    enum Persistence: String, Codable, Sendable {
        /// Repeats the save, and finally lets all calls succeed and repeats it a last time.
        case insists
        /// Continues with the next save, together with the changes of the failed save and another change that
        /// requires no reading.
        case goesOn
        /// Continues with the next save and its changes, together with those of the failed save. Shows that
        /// the store accepts saves after a failure.
        case catchesUp
    }

    var subject: Subject
    /// The current state of the store.
    var firstStep = 0
    var saveCount = 8
    /// The number of saves after which the store is reopened. If `nil`, the store stays open.
    var savesPerSession: Int?
    var fault: Fault?
    var planted: PlantedDefect?
    /// The file for the list of mutating calls.
    var trace: String?
    var persistence = Persistence.insists
    /// Whether each save waits for the harness's permission.
    var asksBeforeSaving = false

    var lastStep: Int { firstStep + saveCount }
}

/// Makes the saves of a workload. Prints a line before each save, and its outcome afterwards:
///
///     opened | unopened ERROR
///     begin K | saved K | failed K unknown|definite ERROR | changed K WHAT
///     stuck K ERROR           fails although all calls succeed
///     look                    waits to be told the state of the store
///     done true|false         whether the fault happened
struct Writer {
    let assignment: WritingAssignment

    init(_ assignment: WritingAssignment) { self.assignment = assignment }

    func run() throws {
        let registry = try PlantedDefect.plant(assignment.planted, in: Engines.registry)
        try Fault.arm(
            assignment.fault, folder: assignment.subject.folder, trace: assignment.trace)
        let perSession = assignment.savesPerSession ?? assignment.saveCount
        for first in stride(from: assignment.firstStep, to: assignment.lastStep, by: perSession) {
            let steps = first..<min(first + perSession, assignment.lastStep)
            guard let coordinator = open(registry) else { break }
            let workload = try assignment.subject.workloadType()
            try save(steps, workload, coordinator)
            do {
                try coordinator.removeAll()
            } catch {
                Conversation.say("unclosed \(error)")
            }
        }
        Conversation.say("done \(torture_was_done())")
    }

    /// Opens the store. Returns `nil` if that fails although all calls succeed.
    private func open(_ registry: StoreRegistry) -> PersistentStoreCoordinator? {
        for attempt in 1...3 {
            do {
                let coordinator = try assignment.subject.coordinator(registry: registry)
                Conversation.say("opened")
                return coordinator
            } catch {
                Conversation.say("unopened \(kind(of: error)) \(error)")
                if attempt == 2 { torture_relent() }
                if attempt == 3 { Conversation.say("stuck opening \(error)") }
            }
        }
        return nil
    }

    private func save<W: Workload>(
        _ steps: Range<Int>, _ type: W.Type, _ coordinator: PersistentStoreCoordinator
    ) throws {
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            var workload = W(seed: assignment.subject.seed, after: steps.lowerBound)
            var hasFailed = false
            for _ in steps {
                if assignment.asksBeforeSaving {
                    Conversation.say("ready \(workload.step + 1)")
                    _ = Conversation.hear()
                }
                let edits = workload.advance()
                Conversation.say("begin \(workload.step)")
                switch assignment.persistence {
                case .goesOn, .catchesUp: saveOnce(edits, workload, context, hasFailed: &hasFailed)
                case .insists:
                    if !W.editsSave { for edit in edits { try edit.apply(to: context) } }
                    guard try saveInsisting(workload, context, W.editsSave ? edits : []) else {
                        return
                    }
                }
            }
        }
    }

    private func saveOnce(
        _ edits: [any Edit], _ workload: some Workload, _ context: ManagedObjectContext,
        hasFailed: inout Bool
    ) {
        do {
            if hasFailed, assignment.persistence == .goesOn {
                // Prevents an empty save, which would always succeed.
                _ = try context.insertNewObject(forEntityName: type(of: workload).entities[0].name)
            } else {
                for edit in edits { try edit.apply(to: context) }
            }
            context.transactionAuthor = "\(workload.step)"
            try context.save(recordedAs: assignment.subject.saveID(ofStep: workload.step))
            Conversation.say("saved \(workload.step)")
        } catch {
            hasFailed = true
            Conversation.say("failed \(workload.step) \(kind(of: error)) \(error)")
        }
    }

    /// Returns `false` if the changes could not be saved at all.
    ///
    /// - Parameter batches: The edits that save, each time again.
    private func saveInsisting<W: Workload>(
        _ workload: W, _ context: ManagedObjectContext, _ batches: [any Edit]
    ) throws -> Bool {
        let step = workload.step
        context.transactionAuthor = "\(step)"
        for attempt in 1...3 {
            let before = assignment.fault == nil ? nil : try ContextChanges(of: context, W.self)
            do {
                for batch in batches { try batch.apply(to: context) }
                try context.save(recordedAs: assignment.subject.saveID(ofStep: step))
                Conversation.say("saved \(step)")
                return true
            } catch {
                Conversation.say("failed \(step) \(kind(of: error)) \(error)")
                if let difference = try before?.difference(from: context) {
                    Conversation.say("changed \(step) \(difference)")
                }
                if attempt == 2 { torture_relent() }
                if attempt == 3 { Conversation.say("stuck \(step) \(error)") }
                // The harness examines the store, and replies with its state.
                Conversation.say("look")
                if Conversation.hear() == "\(step)" {
                    context.rollback()
                    context.reset()
                    Conversation.say("saved \(step)")
                    return true
                }
            }
        }
        return false
    }

    /// Classifies an error by what it says about the store. `untyped` means an error in Cairn.
    private func kind(of error: any Error) -> String {
        guard let error = error as? GraphError else { return "untyped" }
        if case .saveOutcomeUnknown = error { return "unknown" }
        return "definite"
    }
}
