import CairnStore

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
