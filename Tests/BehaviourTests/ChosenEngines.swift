import Cairn
import CairnTestSupport
import GraphSupport

/// The engines that the tests run on.
///
/// The default is SQLite and InMemory. The environment variable `CAIRN_ENGINES` chooses others: `all` for
/// every built-in engine, or names separated by commas, such as `LMDB,XML`.
let chosenEngines: [StoreType] = {
    guard let setting = TestSetting.text("CAIRN_ENGINES") else { return [.sqlite, .inMemory] }
    if setting == "all" { return everyEngine }
    let chosen = setting.split(separator: ",").map { StoreType(String($0)) }
    precondition(
        chosen.allSatisfy(everyEngine.contains),
        "CAIRN_ENGINES=\(setting) names an engine that is not one of \(everyEngine)")
    return chosen
}()
