import Cairn

/// Checks that each save is in all stores or in none, and that no save undid another, after all programs that
/// moved amounts have ended. It prints these lines:
///
///     kept COUNT
///     problem TEXT
struct RaceCheck: Codable, Sendable {
    var subject: BankSubject
    /// The acknowledged saves.
    var acknowledged: [Int]
    /// The saves that were begun and may be stored.
    var open: [Int]

    func run() throws {
        do {
            let coordinator = try subject.coordinator()
            try coordinator.removeAll()
            var expected: Set<Int>?
            var vouchers: [[Int]] = []
            var slipCount = 0
            for place in subject.engines.indices {
                let content = try subject.content(of: place)
                let saves = content.saves
                try check(place, saves, content.balances)
                vouchers += content.vouchers
                slipCount += content.slipCount
                if let expected, expected != Set(saves) {
                    throw HarnessFailure("store \(place) has other saves than the first")
                }
                expected = Set(saves)
            }
            guard vouchers == [Bank.slips], slipCount == Bank.slips.count else {
                throw HarnessFailure(
                    "the stores have vouchers with the slips \(vouchers), and \(slipCount) slips")
            }
            Conversation.say("kept \(expected?.count ?? 0)")
        } catch {
            Conversation.say("problem \(error)")
        }
    }

    private func check(_ place: Int, _ saves: [Int], _ balances: [Int]) throws {
        let kept = Set(saves)
        guard kept.count == saves.count else {
            throw HarnessFailure("store \(place) has a save twice")
        }
        let lost = Set(acknowledged).subtracting(kept)
        guard lost.isEmpty else { throw HarnessFailure("store \(place) lost \(lost.sorted())") }
        let strange = kept.subtracting(acknowledged).subtracting(open)
        guard strange.isEmpty else {
            throw HarnessFailure("store \(place) has \(strange.sorted()), which nobody saved")
        }
        let balance = Bank.balance(of: place, among: subject.engines.count, after: kept)
        guard balances == [balance] else {
            throw HarnessFailure(
                "store \(place) holds \(balances), not \(balance): an update is lost")
        }
    }
}
