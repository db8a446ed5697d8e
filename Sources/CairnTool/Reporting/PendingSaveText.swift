import Cairn
import CairnSaveJournal

/// A report on an unfinished save, as readable text.
struct PendingSaveText: CustomStringConvertible {
    private let report: PendingSaveReport
    /// The store that the user named. It is used in the text if the save's files name no store.
    private let location: StoreLocation

    init(_ report: PendingSaveReport, askedAbout location: StoreLocation) {
        self.report = report
        self.location = location
    }

    /// The save, its journal, and its stores, with the state of the save in each store.
    var description: String {
        let heading = "save      \(report.id.map { "\($0)" } ?? "whose name cannot be read")"
        let path = report.journalPath.map { "\($0): " } ?? ""
        let journal = "journal   \(path)\(Self.text(of: report.journal))"
        guard !report.members.isEmpty else {
            return "\(heading)\n\(journal)\nstores    \(location) and others that no file names"
        }
        let rows = report.membersByPath.map { member in
            [member.location.description, "\(member.type)", Self.text(of: member.standing)]
        }
        return "\(heading)\n\(journal)\n\n"
            + TextGrid(headings: ["store", "type", "the save"]).text(of: rows)
    }

    private static func text(of journal: PendingSaveReport.Journal) -> String {
        switch journal {
        case .whole: "it is whole, so the save has taken place"
        case .unusable: "it is whole, but its model cannot be used by this version of Cairn"
        case .missing: "it is not there"
        case .damaged(let detail): "it is damaged: \(detail)"
        case .unknown(let detail): "not known, as the file beside the store is damaged: \(detail)"
        }
    }

    private static func text(of standing: PendingSaveReport.Standing) -> String {
        switch standing {
        case .notAsked: ""
        case .saved: "has it"
        case .notSaved: "lacks it"
        case .forgotten: "does not know"
        case .unavailable, .notNow: "cannot be asked"
        }
    }

    /// Returns a description of how the save is finished.
    func lines(of plan: PendingSaveReport.Plan, isDryRun: Bool) -> [String] {
        switch plan {
        case .replay, .drop:
            [isDryRun ? "would be done:" : "is being done:"] + steps(of: plan)
        case .doubt(let reason): reasons(or: reason).map { "in doubt: \($0)" }
        case .later(let reason): reasons(or: reason).map { "not possible now: \($0)" }
        }
    }

    /// Returns, for all stores that could not be asked, the reasons. If all stores could be asked, returns
    /// only `reason`.
    private func reasons(or reason: String) -> [String] {
        let found = report.membersByPath.compactMap { member in
            switch member.standing {
            case .unavailable(let reason), .notNow(let reason): reason
            case .notAsked, .saved, .notSaved, .forgotten: nil
            }
        }
        return found.isEmpty ? [reason] : found
    }

    /// Returns a description of what overriding the doubt would do.
    func lines(ofOverriding plan: PendingSaveReport.Plan) -> [String] {
        ["bring back what is missing, or pass --override-doubt, which would:"] + steps(of: plan)
    }

    private func steps(of plan: PendingSaveReport.Plan) -> [String] {
        switch plan {
        case .replay(let stores, let others):
            var steps = stores.map { "write the save to \($0)" }
            if others.isEmpty {
                steps.append("remove the files of the save")
            } else {
                let names = others.map(\.description).joined(separator: ", ")
                steps.append("leave out \(names)")
                steps.append(
                    "keep the journal: what was left out takes its part when it is opened again")
                steps.append("remove the files beside the other stores")
            }
            return steps.map(Self.step)
        case .drop(let reason):
            return [Self.step("remove the files of the save: \(reason)")] + divided
        case .doubt(let reason): return [Self.step("do nothing: \(reason)")]
        case .later(let reason): return [Self.step("do nothing now: \(reason)")]
        }
    }

    /// A line that names the stores that never get the save, although other stores have it.
    private var divided: [String] {
        let without = report.membersByPath.filter { $0.standing != .saved }
        guard report.journal != .whole, !without.isEmpty, without.count < report.members.count
        else { return [] }
        let names = without.map(\.location.description).joined(separator: ", ")
        return [Self.step("what the save changed in \(names) is lost for good")]
    }

    private static func step(_ text: String) -> String { "  - \(text)" }
}

extension PendingSaveReport {
    /// The stores, sorted by path.
    var membersByPath: [Member] {
        members.sorted { $0.location.description < $1.location.description }
    }
}
