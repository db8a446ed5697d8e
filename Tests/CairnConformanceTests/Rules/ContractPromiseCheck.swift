import CairnConformance
import Foundation

/// Compares the page of promises with the contract's comments and with the kit's rules, in both directions.
struct ContractPromiseCheck {
    let page: ContractPromises
    let comments: ContractComments
    /// The texts of the kit's rules, and of their counterparts for engines without the capability.
    let rules: Set<String>

    /// The rules of the kit.
    static let rulesOfTheKit = Set(
        ConformanceRule.all.flatMap { [$0.words] + ($0.alternativePromise.map { [$0] } ?? []) })

    /// The disagreements found, one sentence each.
    var defects: [String] {
        page.oddities + sentenceDefects + ruleDefects + errorDefects + memberDefects
    }

    // MARK: Sentences

    private var sentenceDefects: [String] {
        var defects: [String] = []
        let rows = Dictionary(grouping: page.rows, by: \.member)
        for (name, member) in comments.members {
            let listed = Set((rows[name] ?? []).map(\.promise))
            for sentence in member.sentences
            where !listed.contains(sentence) && !page.descriptions.contains(sentence) {
                defects.append("“\(sentence)” of \(name) is not on the page")
            }
        }
        for row in page.rows {
            guard let member = comments.members[row.member] else {
                defects.append("there is no \(row.member)")
                continue
            }
            if !promises(of: member).contains(row.promise) {
                defects.append("\(row.member) does not say “\(row.promise)”")
            }
        }
        let all = Set(comments.members.values.flatMap(\.sentences))
        defects += page.descriptions.subtracting(all).map { "nothing says “\($0)”" }
        return defects
    }

    private func promises(of member: ContractComments.Member) -> Set<String> {
        Set(member.sentences + member.errors.map { "Throws `.\($0.rawValue)`." })
    }

    // MARK: Rules

    private var ruleDefects: [String] {
        var defects: [String] = []
        let listed = Set(page.rows.flatMap(\.rules))
        for row in page.rows where row.rules.isEmpty {
            defects.append("“\(row.promise)” of \(row.member) has no rule")
        }
        // `TYPE` stands for the name of any attribute type.
        let patterns = listed.filter { $0.contains("TYPE") }
        let matches = Dictionary(uniqueKeysWithValues: patterns.map { ($0, rules(matching: $0)) })
        let missing = listed.subtracting(patterns).subtracting(rules)
            .union(patterns.filter { matches[$0]?.isEmpty ?? true })
        let unproved = rules.subtracting(listed).subtracting(matches.values.joined())
        defects += missing.map { "there is no rule “\($0)”" }
        defects += unproved.map { "the rule “\($0)” proves no promise on the page" }
        return defects
    }

    private func rules(matching pattern: String) -> [String] {
        guard let type = pattern.range(of: "TYPE") else { return [] }
        let (start, end) = (pattern[..<type.lowerBound], pattern[type.upperBound...])
        return rules.filter {
            $0.hasPrefix(start) && $0.hasSuffix(end) && $0.count > start.count + end.count
        }
    }

    // MARK: Errors

    private var errorDefects: [String] {
        var defects: [String] = []
        for row in page.rows {
            let unnamed = ContractComments.errors(in: row.promise).subtracting(row.errors)
            defects += unnamed.map { "“\(row.promise)” names .\($0.rawValue), its line does not" }
        }
        for (name, member) in comments.members {
            let proved = Set(page.rows.filter { $0.member == name }.flatMap(\.errors))
            for error in member.errors.subtracting(proved) where !isExcepted(error, of: name) {
                defects.append("\(name) may throw .\(error.rawValue), of which nothing is said")
            }
        }
        let named = Set(page.rows.flatMap(\.errors) + page.exceptions.flatMap(\.errors))
        defects += StoreErrorCase.allCases.filter { !named.contains($0) }
            .map { "the page does not name .\($0.rawValue)" }
        for exception in page.exceptions where exception.reason.isEmpty {
            defects.append("an exception of \(exception.member ?? "every member") has no reason")
        }
        return defects
    }

    private func isExcepted(_ error: StoreErrorCase, of name: String) -> Bool {
        page.exceptions.contains { exception in
            exception.errors.contains(error) && (exception.member ?? name) == name
        }
    }

    // MARK: Members

    /// Each requirement of a protocol has a promise with a proof, or a reason why it has no promise.
    private var memberDefects: [String] {
        let known = Set(page.rows.map(\.member) + page.exceptions.compactMap(\.member))
        return comments.members.keys.filter { name in
            let parts = name.split(separator: ".")
            return parts.count == 2 && comments.protocols.contains(String(parts[0]))
                && !known.contains(name)
        }.map { "\($0) has no promise on the page" }
    }
}
