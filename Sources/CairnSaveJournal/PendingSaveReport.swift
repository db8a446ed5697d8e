import CairnFiles
import CairnStore

/// What the files of an unfinished save over several stores say, and what its stores answer.
package struct PendingSaveReport: Sendable {
    /// What is known of the journal.
    package enum Journal: Sendable, Hashable {
        /// It is whole: the save has taken place.
        case whole
        /// It is whole, and its model cannot be used here.
        case unusable
        /// It is not there.
        case missing
        /// Its bytes are not those that were written.
        case damaged(String)
        /// It is not known, because the file beside the store is damaged.
        case unknown(String)
    }

    /// What a store has of the save.
    package enum Standing: Sendable, Hashable {
        /// It was not asked.
        case notAsked
        /// It has its part.
        case saved
        /// It lacks its part.
        case notSaved
        /// It does not know, because it has forgotten the name of the save.
        case forgotten
        /// It cannot be asked before something is brought back, for this reason.
        case unavailable(String)
        /// It cannot be asked at the moment, for this reason.
        case notNow(String)
    }

    /// A store of the save.
    package struct Member: Sendable, Hashable {
        /// Where it is, or was when the save was made.
        package var location: StoreLocation
        /// The engine.
        package var type: StoreType
        /// The store's own identifier.
        package var identifier: String
        /// What it has of the save.
        package var standing: Standing
        /// Whether a file of the save is beside it.
        package var hasFile: Bool
    }

    /// The name of the save. `nil` if the file beside the store is damaged.
    package let id: SaveID?
    /// Where the journal is, or was. `nil` if the file beside the store is damaged.
    package let journalPath: String?
    /// What is known of the journal.
    package let journal: Journal
    /// The stores, in the order of their identifiers: the journal was made beside the first. Empty if the
    /// file beside the store is damaged.
    package internal(set) var members: [Member]
    /// Whether the store that was asked about is one of ``members``, or the members are not known.
    /// A copy of a member is not one of them.
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

    /// Reads the files of the save that a store takes part in, and asks no store. Returns `nil` if no
    /// save is pending.
    ///
    /// Changes nothing and waits for nobody: a live process may be about to finish the save.
    ///
    /// - Throws: `.unsupported` for a journal of a later version; `.fileFailure`.
    package init?(of pending: PendingSaveFile) throws(StoreError) {
        guard let files = try SaveFiles(beside: pending) else { return nil }
        self.init(files)
    }
}

extension PendingSaveReport.Journal {
    fileprivate init(_ state: SaveFiles.State) {
        switch state {
        case .journal(let journal): self = journal.body.layouts == nil ? .unusable : .whole
        case .noJournal(_, .missing): self = .missing
        case .noJournal(_, .damaged(_, let detail)): self = .damaged(detail)
        case .noPointer(let detail): self = .unknown(detail)
        }
    }
}

extension SaveRecovery {
    /// Reports on the save that a store takes part in, and asks each of its stores whether it has the
    /// save. Returns `nil` if no save is pending.
    ///
    /// A store is asked with ``PersistentStore/outcome(of:)``, which takes its write lock for a moment
    /// and may write, without changing an object. Waits while a live process is at the save.
    ///
    /// - Throws: `.unsupported` for a journal of a later version; `.busy`, `.cancelled`,
    ///   `.deadlineExceeded`, `.fileFailure`.
    package func report(
        on pending: PendingSaveFile
    ) throws(StoreError) -> PendingSaveReport? {
        while let files = try SaveFiles(beside: pending) {
            let locks = try FolderLocks.wait(
                for: files.folders, isShared: false, timeout: timeout, at: pending.location)
            defer { withExtendedLifetime(locks) {} }
            guard let now = try SaveFiles(beside: pending) else { return nil }
            guard now.id == files.id, now.folders == files.folders else { continue }
            return try ask(now)
        }
        return nil
    }

    private func ask(_ files: SaveFiles) throws(StoreError) -> PendingSaveReport {
        var report = PendingSaveReport(files)
        guard let id = files.id else { return report }
        let asking = SaveRecovery(timeout: timeout, engine: engine)
        var opened = OpenedParticipants(recovery: asking, files: files, layouts: files.layouts)
        defer { opened.close() }
        for index in report.members.indices {
            report.members[index].standing = try opened.standing(of: index, in: id)
        }
        return report
    }
}

extension OpenedParticipants {
    /// Asks a participant what it has of the save.
    ///
    /// - Throws: `.cancelled`, `.deadlineExceeded`.
    fileprivate mutating func standing(
        of index: Int, in id: SaveID
    ) throws(StoreError) -> PendingSaveReport.Standing {
        do throws(StoreError) {
            guard let store = try open(at: index) else { return .notAsked }
            switch try outcome(of: id, in: store) {
            case .saved: return .saved
            case .notSaved: return .notSaved
            case .forgotten: return .forgotten
            }
        } catch {
            switch error {
            case .saveInDoubt(let save): return .unavailable(save.detail)
            case .savePending(let save): return .notNow(save.detail)
            default: throw error
            }
        }
    }
}
