import CairnEngineKit
import CairnFiles
import CairnStore

/// What the files of an unfinished save over several stores contain, and what its stores know about
/// the save.
package struct PendingSaveReport: Sendable {
    /// The state of the journal.
    package enum Journal: Sendable, Hashable {
        /// The journal is complete, so the save has taken place.
        case whole
        /// The journal is complete, but its model cannot be used here.
        case unusable
        /// The journal does not exist.
        case missing
        /// The journal's bytes are not those that were written.
        case damaged(String)
        /// The state is unknown, because the file beside the store is damaged.
        case unknown(String)
    }

    /// Whether a store has its part of the save.
    package enum Standing: Sendable, Hashable {
        /// The store was not asked.
        case notAsked
        /// The store has its part.
        case saved
        /// The store does not have its part.
        case notSaved
        /// The store does not know, because it has forgotten the name of the save.
        case forgotten
        /// The store cannot be asked until something is restored. The text gives the reason.
        case unavailable(String)
        /// The store cannot be asked at the moment. The text gives the reason.
        case notNow(String)
    }

    /// A store that takes part in the save.
    package struct Member: Sendable, Hashable {
        /// The location of the store, or its location when the save was made.
        package var location: StoreLocation
        /// The type of the engine.
        package var type: StoreType
        /// The identifier of the store.
        package var identifier: String
        /// Whether the store has its part of the save.
        package var standing: Standing
        /// Why the store can never be given its part of the save, or `nil` if it may be. For example,
        /// it was restored from a backup, and its rows are not those that the save changes.
        package var refusal: String?
        /// Whether a file of the save is beside the store.
        package var hasFile: Bool
    }

    /// The name of the save, or `nil` if the file beside the store is damaged.
    package let id: SaveID?
    /// The current or former path of the journal, or `nil` if the file beside the store is damaged.
    package let journalPath: String?
    /// The state of the journal.
    package let journal: Journal
    /// The stores, sorted by identifier. The journal was created beside the first one. Empty if the
    /// file beside the store is damaged.
    package internal(set) var members: [Member]
    /// Whether the store that the report is about is one of ``members``. Also `true` if the members
    /// are not known. A copy of a member is not one of them.
    package let namesTheStore: Bool

    init(_ files: SaveFiles) {
        id = files.id
        journalPath = files.journalPath
        journal = Journal(files.state)
        members = files.participants.map { participant, file in
            Member(
                location: file.location, type: participant.type,
                identifier: participant.identifier, standing: .notAsked, hasFile: file.exists)
        }
        namesTheStore = files.nameTheStore
    }

    /// Reads the files of the save that a store takes part in, without asking the stores. Returns
    /// `nil` if no save is pending.
    ///
    /// Changes nothing and does not wait: a running process may be about to finish the save.
    ///
    /// - Throws: `.unsupported` for a journal of a later version; `.fileFailure`.
    package init?(of pending: PendingSaveFile) throws(StoreError) {
        guard let files = try SaveFiles(beside: pending) else { return nil }
        self.init(files)
    }
}

// MARK: - The plan

extension PendingSaveReport {
    /// What ``SaveRecovery/finish(_:)`` would do with the save, according to its files and stores.
    package enum Plan: Sendable, Hashable {
        /// The stores in the first list receive their part of the save, and the files of the save
        /// are removed. If the save is finished without some stores, which the second list
        /// contains, the journal is kept for them. Stores that can never be given their part
        /// (``Member/refusal``) are in neither list.
        case replay(into: [StoreLocation], without: [StoreLocation])
        /// No store is changed, and the files of the save are removed. The text gives the reason.
        case drop(String)
        /// Nothing is done, because something is unknown or impossible. The text gives the reason.
        case doubt(String)
        /// Nothing is done now, because a store cannot be opened at the moment. The text gives the
        /// reason.
        case later(String)
    }

    /// Returns what would be done with the save.
    ///
    /// - Parameter overridesDoubt: see ``SaveRecovery``.
    package func plan(overridingDoubt overridesDoubt: Bool) -> Plan {
        guard namesTheStore else {
            return overridesDoubt
                ? .drop("the save does not belong to this store, which is a copy or was renamed")
                : .doubt("the store is not one of them, because it was copied or renamed since")
        }
        for member in members {
            if case .notNow(let reason) = member.standing { return .later(reason) }
        }
        if !overridesDoubt, let reason = reasonNotToAsk { return .doubt(reason) }
        switch journal {
        case .unusable: return .doubt("the model in its journal is not valid")
        case .whole: return planWithJournal
        case .missing, .damaged: return planWithoutJournal(overridingDoubt: overridesDoubt)
        case .unknown(let detail):
            return overridesDoubt
                ? .drop("it is not known which save they belong to")
                : .doubt("the file next to the store is damaged: \(detail)")
        }
    }

    private var reasonNotToAsk: String? {
        for member in members {
            switch member.standing {
            case .unavailable(let reason): return reason
            case .forgotten where !isFinished(member):
                return "\(member.location) no longer knows whether it contains the save"
            case .notSaved:
                if let reason = member.refusal { return reason }
            case .forgotten, .notAsked, .saved, .notNow: continue
            }
        }
        return nil
    }

    /// Returns whether a store's file is gone because the store has the save.
    package func isFinished(_ member: Member) -> Bool {
        let hasJournal = journal == .whole || journal == .unusable
        return !member.hasFile && (hasJournal || members.first?.hasFile == true)
    }

    private var planWithJournal: Plan {
        let able = members.filter { $0.refusal == nil }
        let lacking = able.filter {
            $0.standing == .notSaved || $0.standing == .forgotten && !isFinished($0)
        }
        let unavailable = able.filter {
            if case .unavailable = $0.standing { true } else { false }
        }
        return .replay(into: lacking.map(\.location), without: unavailable.map(\.location))
    }

    private func planWithoutJournal(overridingDoubt overridesDoubt: Bool) -> Plan {
        let finished = members.filter { $0.standing == .forgotten && isFinished($0) }
        let having = locations(.saved) + finished.map(\.location)
        let lacking = locations(.notSaved)
        if overridesDoubt { return .drop("the stores are left unchanged") }
        if !having.isEmpty, !lacking.isEmpty {
            return .doubt("its journal is lost, and only some of its stores contain the save")
        }
        if !having.isEmpty { return .drop("all stores contain the save") }
        if case .damaged(let detail) = journal {
            return .doubt("its journal “\(journalPath ?? "")” is damaged: \(detail)")
        }
        return .drop("the save did not take place: no store contains it")
    }

    private func locations(_ standing: Standing) -> [StoreLocation] {
        members.filter { $0.standing == standing }.map(\.location)
    }
}

// MARK: - Asking the stores

extension PendingSaveReport.Journal {
    fileprivate init(_ state: SaveFiles.State) {
        switch state {
        case .journal(let journal): self = journal.layouts == nil ? .unusable : .whole
        case .missingJournal: self = .missing
        case .damagedJournal(_, let detail, _): self = .damaged(detail)
        case .noPointer(let detail): self = .unknown(detail)
        }
    }
}

extension SaveRecovery {
    /// Reports on the save that a store takes part in, and asks each of its stores whether it has
    /// the save. Returns `nil` if no save is pending.
    ///
    /// Each store is asked with ``PersistentStore/outcome(of:)``, which takes the store's write
    /// lock for a moment and may write, but does not change objects. A store without the save also
    /// prepares its part, which is rolled back, so that the report knows whether that is possible. Waits while a running process
    /// is working on the save.
    ///
    /// - Throws: `.unsupported` for a journal of a later version; `.busy`, `.cancelled`,
    ///   `.deadlineExceeded`, `.fileFailure`.
    package func report(
        on pending: PendingSaveFile
    ) throws(StoreError) -> PendingSaveReport? {
        try whileLocked(pending, ask)
    }

    private func ask(_ files: SaveFiles) throws(StoreError) -> PendingSaveReport {
        var report = PendingSaveReport(files)
        guard let id = files.id else { return report }
        var journal: SaveFile?
        if case .journal(let whole) = files.state { journal = whole }
        let asking = SaveRecovery(timeout: timeout, service: service, engine: engine)
        var opened = OpenedParticipants(files, recovery: asking)
        defer { opened.close() }
        for index in report.members.indices {
            (report.members[index].standing, report.members[index].refusal) =
                try opened.standing(of: index, in: id, journal)
        }
        return report
    }
}

extension OpenedParticipants {
    /// Asks a participant whether it has its part of the save, and if not, why it cannot be given
    /// the part.
    ///
    /// - Throws: `.cancelled`, `.deadlineExceeded`.
    fileprivate mutating func standing(
        of index: Int, in id: SaveID, _ journal: SaveFile?
    ) throws(StoreError) -> (PendingSaveReport.Standing, refusal: String?) {
        do {
            guard let store = try open(at: index) else { return (.notAsked, nil) }
            let outcome = try outcome(of: id, in: store)
            switch outcome {
            case .saved: return (.saved, nil)
            case .notSaved: return (.notSaved, try refusal(of: index, store, outcome, journal))
            case .forgotten: return (.forgotten, try refusal(of: index, store, outcome, journal))
            }
        } catch {
            switch error {
            case .saveInDoubt(let save): return (.unavailable(save.detail), refusals[index])
            case .savePending(let save): return (.notNow(save.detail), nil)
            default: throw error
            }
        }
    }

    /// Returns why a store cannot be given its part, or `nil` if it can, or if there is no usable
    /// journal.
    ///
    /// - Throws: `.savePending`, `.cancelled`, `.deadlineExceeded`.
    private func refusal(
        of index: Int, _ store: any PersistentStore, _ outcome: CommitOutcome, _ journal: SaveFile?
    ) throws(StoreError) -> String? {
        guard let journal, let layouts else { return nil }
        do {
            let request = try request(
                at: index, of: journal, layouts, for: store, answering: outcome)
            try attempting(store) { () throws(StoreError) in
                let save = try store.beginSave()
                defer { save.rollback() }
                try save.prepare(request)
            }
            return nil
        } catch {
            guard case .saveInDoubt(let save) = error else { throw error }
            return save.detail
        }
    }
}
