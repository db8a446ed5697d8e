import Cairn

/// The store with all items, without cached rows: each run opens it again. A store in memory has no row cache.
struct ColdItems {
    private let setting: Setting
    /// Keeps LMDB's file mapped between the runs, as it is on C's side. Otherwise only Cairn would have a page
    /// fault for each page. `nil` for other engines.
    private let keeper: Stack?

    init(_ setting: Setting) throws {
        self.setting = setting
        keeper = setting.engine == .lmdb ? try setting.items() : nil
    }

    /// Runs the body on the store, which is not to be changed.
    ///
    /// - Throws: what opening the store and the body throw.
    func run<Result>(_ body: (Stack) throws -> Result) throws -> Result {
        guard setting.engine.isFile else { return try body(try setting.items()) }
        let stack = try setting.items()
        let result = try body(stack)
        try stack.close()
        return result
    }
}
