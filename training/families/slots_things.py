# ruff: noqa: E501 -- a table is read best with one row a line
"""What is said of services, projects, teams, companies, products, events, places, devices, works and towns?"""

from __future__ import annotations

from typing import Final

THINGS: Final = """
rate limit | service | one | rate | rate limit; request limit; throttle | allow {v}; accept up to {v} | raise the limit to {v}
read timeout | service | one | seconds | read timeout | time out reads after {v}
write timeout | service | one | seconds | write timeout | time out writes after {v}
connect timeout | service | one | seconds | connect timeout; connection timeout | give up on connecting after {v}
session lifetime | service | one | minutes | session lifetime; session length | keep sessions for {v} | shorten sessions to {v}
cache ttl | service | one | minutes | cache TTL; cache lifetime | cache responses for {v}
latency target | service | one | millis | latency target; latency budget; p95 target | aim for {v} at p95
poll interval | service | one | seconds | polling interval; poll interval | poll every {v}
backup interval | service | one | minutes | backup interval | back up every {v}
memory limit | service | one | gigabytes | memory limit; RAM limit | be limited to {v} of memory; run with {v} of memory
disk size | service | one | gigabytes | disk size; volume size | have {v} of disk
staging port | service | one* | port | staging port; port in staging | listen on port {v} in staging
production port | service | one* | port | production port; port in production | listen on port {v} in production
metrics port | service | one | port | metrics port | expose metrics on port {v}
retries | service | one | small | maximum number of retries; retry limit | retry {v} times | go down to {v} retries
replicas | service | one | small | replica count; number of replicas | run with {v} replicas; have {v} replicas | scale to {v} replicas
batch size | service | one | count | batch size; chunk size | handle batches of {v}
page size | service | one | small | page size; results per page | return {v} results per page
worker pool | service | one | small | worker pool size; number of workers | run {v} workers | scale to {v} workers
log level | service | one | level | log level; logging level | log at {v} level | switch to {v} level
region | service | one | region | region; hosting region | run in {v}; be deployed in {v}; be hosted in {v} | move from {o} to {v}; migrate to {v}
database | service | one | database | database; primary database; main data store | store its data in {v}; run on {v}; keep its records in {v} | move from {o} to {v}; migrate from {o} to {v}; replace {o} with {v}
queue | service | one | queue | message queue; message broker | use {v} as message broker; have {v} as message broker | switch from {o} to {v}; replace {o} with {v} | drop {v}
auth | service | one | auth | authentication method; auth scheme | authenticate clients with {v}; authenticate with {v} | switch from {o} to {v}; replace {o} with {v}
protocol | service | one | protocol | API style; API protocol | expose {a} interface; talk {v} to clients | switch from {o} to {v}; move from {o} to {v}
file store | service | one | storage | file store; object store | keep uploads in {v}; store files in {v} | move uploads from {o} to {v} | stop storing files in {v}
runtime version | service | one | version | runtime version; interpreter version | run on runtime {v} | upgrade from {o} to {v}
deployed version | service | one | semver | deployed version; current release; live version | be on release {v} | be upgraded to {v}
upload limit | service | one | gigabytes | upload limit; maximum upload size | accept uploads up to {v}
error threshold | service | one | percent | error threshold; alert threshold | page at {v} errors
maintenance day | service | one | weekday | maintenance day; patch day | be patched every {v} | move patching to {v}
service owner | service | one* | name | owner; service owner | be owned by {v}; belong to {v} | be handed over from {o} to {v}
service author | service | fixed | name | original author; first author | be written by {v} originally<; be built first by {v}<
service birth | service | fixed | month | first release date; initial launch date | go live in {v}<
monitors | service | many | monitor | monitoring tools | report to {v}; send metrics to {v} | replace {o} with {v} | stop reporting to {v}
clients | service | many | language_code | client libraries | offer a client for {v}; have a client in {v} | | drop the client for {v}
regions | service | many | region | standby regions; replicated regions | replicate to {v} | | stop replicating to {v}
project lead | project | one* | name | lead; project lead | be led by {v}; be run by {v} | be handed over from {o} to {v}; pass from {o} to {v}
deadline | project | one* | day | deadline; due date | be due on {v}; have to be done by {v} | be moved from {o} to {v}; slip to {v}
launch date | project | one* | date | planned launch date; release date of the next version; target date | be due to launch on {v} | slip from {o} to {v}; be pushed to {v}
last release | project | fixed | date | release date of version 1.0; date of the 1.0 release | ship version 1.0 on {v}<
kickoff | project | fixed | date | kickoff date; start date | start on {v}<; kick off on {v}<
founder | project | fixed | name | founder; original creator | be started by {v}<; be founded by {v}<
main language | project | one* | language_code | main language; primary language | be written mainly in {v} | be rewritten from {o} to {v}; move from {o} to {v}
framework | project | one | framework | web framework; main framework | be built on {v}; be based on {v} | move from {o} to {v}; replace {o} with {v}
python | project | one | version | required compiler version; minimum SDK version | need SDK {v} | move to SDK {v}
project version | project | one | semver | current version; latest version | be at version {v} | be bumped from {o} to {v}
licence | project | one* | licence | licence; license | be licensed under {v}; be under the {v} licence | be relicensed from {o} to {v}; switch from {o} to {v}
tracker | project | one* | tracker | issue tracker; ticket system | track issues in {v} | move from {o} to {v} | stop tracking issues in {v}
ci | project | one | ci | CI system; build system | build on {v}; run its tests on {v} | switch from {o} to {v}; replace {o} with {v} | drop {v}
cloud | project | one | cloud | cloud provider; hosting provider | run on {v}; be hosted on {v} | move from {o} to {v}; migrate to {v} | leave {v}
default branch | project | one* | branch | default branch; main branch | have {v} as default branch
coverage | project | one | percent | test coverage; coverage threshold | require {v} coverage
project budget | project | one* | budget | budget; approved budget | have a budget of {v} | get a new budget of {v}
open issues | project | one* | count | number of open issues; open issue count | have {v} open issues
project status | project | one* | status | status; project status | be {v}
linter | project | one | linter | linter; code checker | lint with {v} only | switch from {o} to {v}; replace {o} with {v} | drop {v}
indentation | project | rule | indent | indentation; indentation style | indent with {v}; use {v} for indentation
quote style | project | rule | quotes | quote style; string quotes | use {v} for strings; write strings with {v}
naming style | project | rule | naming | naming convention for variables; variable naming style | name variables in {v}; use {v} for variable names
merge strategy | project | rule | merge | merge strategy; merge policy | use {v} for pull requests; require {v}
date style | project | rule | dateformat | date format in logs; date style in logs | use {v} in logs; write {v} in logs
libraries | project | many | library | dependencies; libraries | use {v}; depend on {v} | replace {o} with {v}; switch from {o} to {v} | drop {v}; stop using {v}
contributors | project | many | name | contributors; committers | have {v} as contributor; get patches from {v} | | lose {v} as contributor
platforms | project | many | os | supported platforms; platforms | support {v}; run on {v} | | drop support for {v}; stop supporting {v}
locales | project | many | language | supported languages; translations | be available in {v}; have a translation in {v} | | drop the {v} translation
team lead | team | one* | name | lead; head; team lead | be led by {v}; report to {v} | get {v} as new lead
team size | team | one | small | headcount; number of members | have {v} members; consist of {v} people | grow to {v} people
standup | team | one | clock | standup time; daily meeting time | meet every day at {v}; hold standup at {v} | move standup from {o} to {v}; move standup to {v} | stop meeting at {v}
retro day | team | one | weekday | retro day; day of the retro | hold the retro on {v} | move the retro to {v}
team chat | team | one | chat | chat tool; main chat tool | chat on {v}; coordinate on {v} | move from {o} to {v}; switch from {o} to {v} | leave {v}
team room | team | one | room | meeting room; usual room | meet in {v}; sit in {v} | move from {o} to {v}; move to {v} | give up {v}
sprint length | team | one* | days | sprint length; iteration length | work in sprints of {v} | go to sprints of {v}
team budget | team | one* | budget | yearly budget; annual budget | have {v} a year to spend
team scope | team | one* | city | home base; base | be based in {v}; sit in {v} | move to {v}; move from {o} to {v} | leave {v}
team mission start | team | fixed | month | founding date; start date | be formed in {v}<
commit spelling | team | rule | spelling | spelling rule; house spelling | write all docs with {v}; use {v}
members | team | many | name | members; team members | include {v}; have {v} on board | replace {o} with {v} | lose {v}
team tools | team | many | tracker | planning tools; tools | use {v}; plan in {v} | switch from {o} to {v}; replace {o} with {v} | stop using {v}; drop {v}
ceo | company | one* | surname | CEO; chief executive | be run by {v}; have {v} as CEO | replace {o} with {v} as CEO; appoint {v} as CEO
headquarters | company | one | city | headquarters; head office; main office | be headquartered in {v}; have its head office in {v} | move its headquarters from {o} to {v}; relocate to {v} | close the head office in {v}
staff | company | one* | count | number of employees; workforce | employ {v} people; have {v} employees | grow to {v} employees
company founder | company | fixed | surname | founder; sole founder | be founded by {v} alone<
company birth | company | fixed | year | founding year; year of foundation | be founded in {v}<
supplier | company | one* | supplier | packaging supplier | get its packaging from {v}; buy its packaging from {v} | switch from {o} to {v}; replace {o} with {v} | drop {v}
auditor | company | one* | surname | auditor; external auditor | be audited by {v} | change auditors to {v}
revenue share | company | one* | percent | market share | hold {v} of the market
notice period | company | one* | days | notice period; period of notice | require {v} of notice | extend notice to {v}
vacation | company | one* | small | vacation days per year; days of annual leave | give {v} days of annual leave
support line | company | one* | number | support line; hotline; customer service number
sales line | company | one* | number | sales line; sales number
markets | company | many | country | markets; export markets | sell in {v}; sell its goods in {v} | | pull out of {v}; stop selling in {v}
partners | company | many | supplier | partners; logistics partners | work with {v}; partner with {v} | replace {o} with {v} | stop working with {v}
price | product | one | money | price; list price; retail price | cost {v}; sell for {v} | be marked down to {v}; go up to {v}
weight | product | one* | grams | weight; net weight | weigh {v}
warranty | product | one* | days | return period; return window | come with a return window of {v}
battery | product | one | minutes | battery life; running time | last {v} on a charge
firmware | product | one | version | firmware; firmware version | run firmware {v}; ship with firmware {v} | be updated from {o} to {v}
material | product | one* | material | casing material; shell material | be made of {v} | be redesigned from {o} to {v}
stock | product | one* | small | stock level; units in stock | have {v} units left
discount | product | one | percent | discount; current discount | be {v} off
inventor | product | fixed | surname | inventor; original inventor | be invented by {v}<
first sold | product | fixed | month | first release date; date of first sale | come out in {v}<; go on sale first in {v}<
colours | product | many | colour | colours on offer; available colours | come in {v}; be available in {v} | replace {o} with {v} | stop coming in {v}
event date | event | one* | day | date | take place on {v}; be scheduled for {v}; be on {v} | be moved from {o} to {v}; be postponed to {v}
event start | event | one* | clock | start time; starting time | start at {v}; begin at {v} | be moved from {o} to {v}; be moved to {v}
event place | event | one* | city | location; venue city | take place in {v}; be held in {v} | be moved from {o} to {v}
event room | event | one* | room | room; venue | be in {v} | be moved from {o} to {v}
host | event | one* | name | host | be hosted by {v} | be handed over from {o} to {v}
catering | event | one* | supplier | caterer; catering company | be catered by {v} | switch caterers from {o} to {v} | cancel {v}
guests | event | one* | count | guest count; number of guests | have {v} guests
ticket price | event | one | money | ticket price; entrance fee | cost {v} to attend
speakers | event | many | surname | speakers | feature {v} as a speaker; have {v} on the programme | replace {o} with {v} | drop {v}
opening | place | one | clock | opening time; opening hour | open at {v} | move opening to {v}
closing | place | one | clock | closing time; closing hour | close at {v} | move closing to {v}
closing day | place | one* | weekday | closing day; weekly day off | stay closed on {v}; be closed every {v} | move its day off to {v}
entry fee | place | one | money | entry fee; admission | charge {v} for entry | raise entry to {v}
owner | place | one* | surname | owner; proprietor | belong to {v}; be owned by {v} | be sold by {o} to {v}
capacity | place | one* | count | capacity; maximum number of visitors | hold {v} people
manager | place | one* | name | manager | be managed by {v} | replace {o} with {v} as manager
place phone | place | one* | number | phone number; booking line
place wifi | place | one* | code | wifi password; guest wifi code
built | place | fixed | year | year of construction; opening year | be built in {v}<; open first in {v}<
architect | place | fixed | surname | architect | be designed by {v}<
cuisine served | place | many | food | menu items; dishes on the menu | serve {v}; offer {v} | replace {o} with {v} | take {v} off the menu; stop serving {v}
device os | device | one | os | operating system; OS | run {v}; boot {v} | be reinstalled with {v}; be moved from {o} to {v}
device room | device | one | room | location; spot | stand in {v}; be kept in {v} | be moved from {o} to {v}
device ram | device | one* | gigabytes | memory; RAM | have {v} of RAM | be upgraded from {o} to {v}
device disk | device | one* | gigabytes | disk space; SSD size | have a {v} SSD
device user | device | one* | name | owner; registered owner | belong to {v}; be registered to {v} | pass from {o} to {v}
device firmware | device | one* | version | driver version; firmware version | run firmware {v} | be updated from {o} to {v}
device code | device | one* | code | inventory code; asset tag | carry asset tag {v}
device password | device | one* | code | PIN; unlock code | unlock with {v}
device temperature | device | one | celsius | temperature; operating temperature | run at {v}
device maker | device | fixed | supplier | manufacturer; maker | be made by {v}<
device bought | device | fixed | date | purchase date; date of purchase | be bought on {v}<
author | work | fixed | surname | author; creator | be written by {v}<; be created by {v}<
work year | work | fixed | year | year of publication; year of first release | come out in {v}<; appear first in {v}<
work place | work | fixed | city | setting; place of the plot | be set in {v}
work length | work | fixed | minutes | running time; length | run for {v}
work award | work | many | country | countries of release | be shown in {v} | | stop being shown in {v}
mayor | town | one* | surname | mayor; head of the council | be governed by Mayor {v}; have {v} as mayor | elect {v} as mayor
population | town | one* | count | population; number of inhabitants | have {v} inhabitants
town country | town | fixed | country | country | lie in {v}; be in {v}
town founded | town | fixed | year | year of foundation | be founded in {v}<
parking fee | town | one | money | daily parking fee; parking charge | charge {v} for a day of parking | raise parking to {v}
bin day | town | one* | weekday | bin collection day; rubbish day | collect bins on {v} | move bin collection to {v}
speed limit | town | one | kmh | speed limit in the centre | limit traffic to {v} in the centre
bus fare | town | one | money | bus fare; price of a bus ticket | charge {v} for a bus ride
twin towns | town | many | city | twin towns; partner cities | be twinned with {v} | | end the twinning with {v}
"""
