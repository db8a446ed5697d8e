import Cairn

/// The store with all items and without cached rows, which is reopened for each run. An in-memory store has
/// no row cache.
package struct ColdItems {
    private let setting: Setting
    /// Keeps LMDB's file mapped between runs, as the C baseline does. Otherwise only Cairn would have a page
    /// fault for each page. `nil` for other engines.
    private let keeper: MeasuredStack?

    package init(_ setting: Setting) throws {
        self.setting = setting
        keeper = setting.engine == .lmdb ? try setting.items() : nil
    }

    /// Runs the body on the store. The body must not change the store.
    ///
    /// - Throws: The error of opening the store, or of the body.
    package func run<Result>(_ body: (MeasuredStack) throws -> Result) throws -> Result {
        guard setting.engine.isDurable else { return try body(try setting.items()) }
        let stack = try setting.items()
        let result = try body(stack)
        try stack.close()
        return result
    }
}
