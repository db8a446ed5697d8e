import CairnConformance
import CairnTestSupport
import Foundation

/// The content of docs/contract-promises.md: the rules that prove each promise, and the errors that they
/// cover.
struct ContractPromises {
    /// A row of a member's table.
    struct Row {
        /// The member as in its heading, such as `PersistentStore.open(_:)`.
        let member: String
        /// A sentence of the member's documentation, or “Throws” and an error from its list.
        let promise: String
        let errors: Set<StoreErrorCase>
        /// The texts of the rules.
        let rules: [String]
    }

    /// A row of the table of promises that no rule checks.
    struct Exception {
        /// The member that the exception applies to, or `nil` for every member.
        let member: String?
        /// The errors that are not checked. Empty if nothing about the member is checked.
        let errors: Set<StoreErrorCase>
        let reason: String
    }

    private(set) var rows: [Row] = []
    private(set) var exceptions: [Exception] = []
    /// The sentences that describe and do not promise.
    private(set) var descriptions: Set<String> = []
    /// The lines that cannot be parsed.
    private(set) var oddities: [String] = []

    /// The page as text.
    static func text() throws -> String {
        try Repository.text("docs/contract-promises.md")
    }

    init(_ text: String) {
        var section = ""
        var member = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("## ") {
                (section, member) = (String(line.dropFirst(3)), "")
            } else if line.hasPrefix("### ") {
                member = line.dropFirst(4).trimmingCharacters(in: ["`"])
            } else if line.hasPrefix("| ") {
                addLine(line.dropFirst(2).components(separatedBy: " | "), section, member)
            } else if line.hasPrefix("- "), section == Self.descriptionsTitle {
                descriptions.insert(String(line.dropFirst(2)))
            }
        }
    }

    static let exceptionsTitle = "Not checked by a rule"
    static let descriptionsTitle = "Sentences that promise nothing"

    private mutating func addLine(_ cells: [String], _ section: String, _ member: String) {
        guard cells.count == 3, let last = cells.last, last.hasSuffix(" |") else {
            oddities.append("a line with \(cells.count) cells: \(cells.joined(separator: " | "))")
            return
        }
        if ["Promise", "Member"].contains(cells[0]) { return }
        let text = String(last.dropLast(2))
        let names = cells[1].components(separatedBy: ", ")
        let errors = ContractComments.errors(in: cells[1])
        if names != ["no error"], errors.count != names.count {
            oddities.append("an error that does not exist, in: \(cells[1])")
        }
        if section == Self.exceptionsTitle {
            let name = cells[0].trimmingCharacters(in: ["`"])
            exceptions.append(
                Exception(
                    member: name == "every other member" ? nil : name, errors: errors, reason: text)
            )
        } else if !member.isEmpty {
            rows.append(
                Row(
                    member: member, promise: cells[0], errors: errors,
                    rules: text.components(separatedBy: "<br>").filter { !$0.isEmpty }))
        } else {
            oddities.append("a line outside of a member: \(cells[0])")
        }
    }
}
