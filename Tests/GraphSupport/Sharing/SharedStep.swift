import Cairn

/// A step of one of two editors. Its picks select among the objects that exist at that moment, so that a step
/// remains valid when earlier steps are removed.
package enum SharedStep: Hashable, Sendable {
    case edit(editor: Int, inRoot: Bool, [SharedPick])
    /// Saves. If the save is refused, the editor begins again or keeps its changes.
    case save(editor: Int, thenReset: Bool)
    /// Both editors save at the same time.
    case saveTogether
    case reset(editor: Int)
    case rollback(editor: Int)
    case refreshAll(editor: Int)
    case forget(editor: Int)
    case beginChild(editor: Int)
    case saveChild(editor: Int)
    case dropChild(editor: Int)
}

/// An edit whose objects are not chosen yet.
package struct SharedPick: Hashable, Sendable {
    package enum Kind: Hashable, Sendable, CaseIterable {
        case insert, set, link, delete, read, readMembers, fetch, rotate, move
    }

    package var kind: Kind
    package var first: Int
    package var second: Int
    package var third: Int
}

extension SharedStep {
    /// Returns random steps, of which the first insert objects. Few steps save together, because a failure of
    /// such a step may not occur again.
    package static func sequence(
        _ count: Int, using random: inout some RandomNumberGenerator
    ) -> [SharedStep] {
        let insertions = (0..<4).map { _ in SharedPick(.insert, using: &random) }
        var steps: [SharedStep] = [
            .edit(editor: 0, inRoot: true, insertions), .save(editor: 0, thenReset: false),
        ]
        while steps.count < count {
            steps +=
                Int.random(in: 0..<8, using: &random) == 0
                ? meeting(using: &random) : [SharedStep(using: &random)]
        }
        return steps
    }

    /// Returns steps in which both editors change the same objects before they save.
    private static func meeting(using random: inout some RandomNumberGenerator) -> [SharedStep] {
        let first = Int.random(in: 0...1, using: &random)
        var steps: [SharedStep] = [first, 1 - first].map { editor in
            var pick = SharedPick(
                [.delete, .delete, .link, .link, .insert].randomElement(using: &random) ?? .link,
                using: &random)
            // Even picks choose among the objects of the last edits.
            pick.second -= pick.second % 2
            pick.third -= pick.third % 2
            return .edit(editor: editor, inRoot: false, [pick])
        }
        if Int.random(in: 0..<3, using: &random) == 0 {
            return steps + [.saveTogether, .reset(editor: 0), .reset(editor: 1)]
        }
        for editor in Bool.random(using: &random) ? [0, 1] : [1, 0] {
            steps.append(.save(editor: editor, thenReset: true))
        }
        return steps
    }

    private init(using random: inout some RandomNumberGenerator) {
        let editor = Int.random(in: 0...1, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<58:
            self = .edit(
                editor: editor, inRoot: Int.random(in: 0..<4, using: &random) == 0,
                (0..<Int.random(in: 1...3, using: &random)).map { _ in SharedPick(using: &random) })
        case 58..<82:
            self = .save(editor: editor, thenReset: Int.random(in: 0..<4, using: &random) > 0)
        case 82..<84: self = .saveTogether
        case 84..<87: self = .reset(editor: editor)
        case 87: self = .rollback(editor: editor)
        case 88..<90: self = .refreshAll(editor: editor)
        case 90..<93: self = .forget(editor: editor)
        case 93..<96: self = .beginChild(editor: editor)
        case 96..<99: self = .saveChild(editor: editor)
        default: self = .dropChild(editor: editor)
        }
    }
}

extension SharedPick {
    fileprivate init(using random: inout some RandomNumberGenerator) {
        let kind: Kind =
            switch Int.random(in: 0..<26, using: &random) {
            case 0..<4: .insert
            case 4..<6: .set
            case 6..<14: .link
            case 14..<18: .delete
            case 18..<20: .read
            case 20..<22: .readMembers
            case 22: .fetch
            case 23..<25: .move
            default: .rotate
            }
        self.init(kind, using: &random)
    }

    fileprivate init(_ kind: Kind, using random: inout some RandomNumberGenerator) {
        self.init(
            kind: kind, first: Int.random(in: 0..<1000, using: &random),
            second: Int.random(in: 0..<1000, using: &random),
            third: Int.random(in: 0..<1000, using: &random))
    }
}
