import Cairn

/// The store with all items, opened anew for each run so that no row is cached. In memory rows are not cached.
struct ColdItems {
    private let setting: Setting
    /// Has the file open between the runs. LMDB maps a file once for a process, and without this each run would map it
    /// anew: the first look at each page is then a page fault, which C does not have, whose file stays mapped.
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
