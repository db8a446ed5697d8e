import Cairn

/// Accounts in several stores. Each save moves an amount between them, so their total never changes.
///
/// Each store contains one account, and a receipt of each save. One of the stores contains a voucher with its
/// slips, which each save moves.
enum Bank {
    static let openingBalance = 1_000

    static let compiled = Result {
        try ManagedObjectModel([
            EntityDescription(
                "Account", [.attribute("index", .integer64), .attribute("balance", .integer64)]),
            EntityDescription("Receipt", [.attribute("save", .integer64)]),
            EntityDescription(
                "Voucher",
                [
                    .toMany(
                        "slips", "Slip", inverse: "voucher", isOrdered: true, deleteRule: .cascade)
                ]),
            EntityDescription(
                "Slip",
                [.attribute("index", .integer64), .toOne("voucher", "Voucher", inverse: "slips")]),
        ])
    }

    /// Returns the accounts between which a save moves an amount, and the amount.
    static func move(_ save: Int, among count: Int) -> (from: Int, to: Int, amount: Int) {
        (save % count, (save + 1) % count, 10 * save + 1)
    }

    /// The indices of the slips of a voucher, in order.
    static let slips = [2, 1, 3]

    /// Returns the store that contains the voucher after a save.
    static func voucherStore(after save: Int, among count: Int) -> Int { save % count }

    /// Returns the balance of a store's account after the given saves.
    static func balance(of place: Int, among count: Int, after saves: some Sequence<Int>) -> Int {
        saves.reduce(openingBalance) { balance, save in
            let move = move(save, among: count)
            if place == move.from { return balance - move.amount }
            return place == move.to ? balance + move.amount : balance
        }
    }
}
