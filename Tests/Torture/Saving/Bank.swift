import Cairn

/// Accounts in several stores, between which each save moves an amount: what they hold together never
/// changes.
///
/// Each store has one account, and a receipt of each save.
enum Bank {
    static let openingBalance = 1_000

    static let compiled = Result {
        try ManagedObjectModel([
            EntityDescription(
                "Account", [.attribute("place", .integer64), .attribute("balance", .integer64)]),
            EntityDescription("Receipt", [.attribute("save", .integer64)]),
        ])
    }

    /// What a save moves from the account of one store to that of another.
    static func move(_ save: Int, among count: Int) -> (from: Int, to: Int, amount: Int) {
        (save % count, (save + 1) % count, 10 * save + 1)
    }

    /// What a store's account holds after some saves.
    static func balance(of place: Int, among count: Int, after saves: some Sequence<Int>) -> Int {
        saves.reduce(openingBalance) { balance, save in
            let move = move(save, among: count)
            if place == move.from { return balance - move.amount }
            return place == move.to ? balance + move.amount : balance
        }
    }
}
