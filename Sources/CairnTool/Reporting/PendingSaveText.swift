import Cairn
import CairnSaveJournal

/// A readable report on an unfinished save.
struct PendingSaveText: CustomStringConvertible {
    private let report: PendingSaveReport
    /// The store that the user named. It is shown if the save's files do not name any store.
    private let location: StoreLocation

    init(_ report: PendingSaveReport, askedAbout location: StoreLocation) {
        self.report = report
        self.location = location
    }

    /// The save, its journal, and its stores, each with the part of the save that it has.
    var description: String {
        let heading = "save      \(report.id.map { "\($0)" } ?? "its name cannot be read")"
        let path = report.journalPath.map { "\(VisibleText.line($0)): " } ?? ""
        let journal = "journal   \(path)\(Self.text(of: report.journal))"
        guard !report.members.isEmpty else {
            return "\(heading)\n\(journal)\nstores    \(location) and others, which are not known"
        }
        let rows = report.membersByPath.map { member in
            [member.location.description, "\(member.type)", Self.text(of: member.standing)]
        }
        return "\(heading)\n\(journal)\n\n"
            + TextGrid(headings: ["store", "type", "the save"]).text(of: rows)
    }

    private static func text(of journal: PendingSaveReport.Journal) -> String {
        switch journal {
        case .whole: "complete, so the save has succeeded"
        case .unusable: "complete, but this version of Cairn cannot use its model"
        case .missing: "missing"
        case .damaged(let detail): "damaged: \(detail)"
        case .unknown(let detail):
            "unknown, because the file next to the store is damaged: \(detail)"
        }
    }

    private static func text(of standing: PendingSaveReport.Standing) -> String {
        switch standing {
        case .notAsked: ""
        case .saved: "saved"
        case .notSaved: "not saved"
        case .forgotten: "unknown"
        case .unavailable, .notNow: "not available"
        }
    }

    /// Returns lines that describe the plan for the save.
    func lines(of plan: PendingSaveReport.Plan, isDryRun: Bool) -> [String] {
        switch plan {
        case .replay, .drop:
            [isDryRun ? "would be done:" : "is being done:"] + steps(of: plan)
        case .doubt(let reason): reasons(or: reason).map { "in doubt: \($0)" }
        case .later(let reason): reasons(or: reason).map { "not possible now: \($0)" }
        }
    }

    /// Returns the reasons that stores could not be asked. If there are no such reasons, returns the given
    /// reason.
    private func reasons(or reason: String) -> [String] {
        let found = report.membersByPath.compactMap { member in
            switch member.standing {
            case .unavailable(let reason), .notNow(let reason): reason
            case .notAsked, .saved, .notSaved, .forgotten: nil
            }
        }
        return found.isEmpty ? [reason] : found
    }

    /// Returns lines that describe what overriding the doubt would do with the save.
    func lines(ofOverriding plan: PendingSaveReport.Plan) -> [String] {
        ["restore what is missing, or pass --override-doubt, which would:"] + steps(of: plan)
    }

    private func steps(of plan: PendingSaveReport.Plan) -> [String] {
        switch plan {
        case .replay(let stores, let others):
            var steps = stores.map { "write the save to \($0)" }
            steps += report.membersByPath.filter { $0.refusal != nil }.map {
                "leave \($0.location) unchanged"
            }
            if others.isEmpty {
                steps.append("remove the files of the save")
            } else {
                let names = others.map(\.description).joined(separator: ", ")
                steps.append("leave out \(names)")
                steps.append(
                    "keep the journal, so that the stores that were left out can get their part when they"
                        + " are opened again")
                steps.append("remove the files next to the other stores")
            }
            return steps.map(Self.step)
        case .drop(let reason):
            return [Self.step("remove the files of the save: \(reason)")] + divided
        case .doubt(let reason): return [Self.step("do nothing: \(reason)")]
        case .later(let reason): return [Self.step("do nothing now: \(reason)")]
        }
    }

    /// Returns lines that say what is true of each store after a plan was carried out.
    func results(of plan: PendingSaveReport.Plan, isDryRun: Bool) -> [String] {
        let results: [String]
        if report.namesTheStore, !report.members.isEmpty {
            results = report.membersByPath.map { "\($0.location) \(result(for: $0, of: plan))" }
        } else {
            results = ["\(location) is unchanged, and it is not known whether it contains the save"]
        }
        let heading = isDryRun ? "after that:" : "now:"
        return [heading] + results.map(Self.step)
    }

    private func result(
        for member: PendingSaveReport.Member, of plan: PendingSaveReport.Plan
    ) -> String {
        var (written, waiting): ([StoreLocation], [StoreLocation]) = ([], [])
        if case .replay(let stores, let others) = plan { (written, waiting) = (stores, others) }
        if written.contains(member.location) { return "contains the save" }
        if waiting.contains(member.location) {
            return "is unchanged, and gets the save when it is opened again"
        }
        let reason = member.refusal.map { ": \($0)" } ?? ""
        switch member.standing {
        case .saved: return "contains the save"
        case .forgotten where report.isFinished(member): return "contains the save"
        case .notSaved: return "is unchanged, and does not contain the save\(reason)"
        case .unavailable where member.refusal != nil:
            return "is unchanged, and does not contain the save\(reason)"
        case .unavailable(let detail):
            return "is unchanged, and it is not known whether it contains the save: \(detail)"
        case .forgotten, .notAsked, .notNow:
            return "is unchanged, and it is not known whether it contains the save\(reason)"
        }
    }

    /// A line that names the stores that will never get the save, although other stores have it. Empty if
    /// there are no such stores.
    private var divided: [String] {
        let without = report.membersByPath.filter { $0.standing != .saved }
        guard report.journal != .whole, !without.isEmpty, without.count < report.members.count
        else { return [] }
        let names = without.map(\.location.description).joined(separator: ", ")
        return [Self.step("lose the save's changes to \(names) for good")]
    }

    private static func step(_ text: String) -> String { "  - \(text)" }
}

extension PendingSaveReport {
    /// The stores, sorted by location.
    var membersByPath: [Member] {
        members.sorted { $0.location.description < $1.location.description }
    }
}
