import Foundation

/// A measurement that missed its goal.
struct MissedGoal {
    var row: RowResult
    var result: ContenderResult
    var goal: Goal

    /// The measured value in the form of the goal. A ratio that would be rounded to the limit has an
    /// additional digit.
    var measured: String {
        switch goal {
        case .ratio, .wallRatio:
            goal.ratio(of: result).map { ratio in
                let text = Format.ratio(ratio.median)
                return text == Format.ratio(goal.limit)
                    ? String(format: "%.3f", ratio.median) : text
            } ?? ""
        case .nanoseconds: Format.time(nanoseconds: result.cpu.median)
        case .bytes: result.bytesPerObject.map { "\(Format.whole($0)) B" } ?? ""
        }
    }

    /// The row's title, its part, and the contender if the row has several Cairn contenders.
    var name: String {
        let part = row.part.isEmpty ? "" : ": \(row.part)"
        let count = row.contenders.count { $0.role == .ours }
        return row.title + part + (count > 1 ? " (\(result.name))" : "")
    }
}

extension Report {
    /// The missed goals, in the order of the rows.
    var missedGoals: [MissedGoal] {
        rows.flatMap { row in
            row.contenders.compactMap { result in
                guard result.isGoalMet == false, let goal = result.goal else { return nil }
                return MissedGoal(row: row, result: result, goal: goal)
            }
        }
    }
}
