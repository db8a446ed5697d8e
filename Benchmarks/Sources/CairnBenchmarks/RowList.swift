import BenchmarkKit
import Workloads

/// The list of rows for `--list`.
enum RowList {
    static var text: String {
        Catalogue.workloads.map { row in
            let name = row.name + String(repeating: " ", count: max(1, 18 - row.name.count))
            return "\(name)\(row.title)\n" + String(repeating: " ", count: 18) + row.about.goal
        }.joined(separator: "\n")
    }
}
