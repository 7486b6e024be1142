# ruff: noqa: E501 -- a table is read best with one row a line
"""What is said of people? (The columns are explained in ``slots``.)"""

from __future__ import annotations

from typing import Final

PEOPLE: Final = """
home.city | person | one | city | home city; city of residence; place of residence | live in {v}; be based in {v}; reside in {v} | move to {v}; move from {o} to {v}; relocate to {v} | leave {v}
home.rent | person | one* | money | monthly rent; rent | pay {v} in rent; pay a rent of {v}
home.floor | person | one* | small | flat number; apartment number | live in flat {v}
work.employer | person | one | company | employer; current employer | work for {v}; be employed by {v}; work at {v} | join {v}; leave {o} for {v}; take a job at {v} | leave {v}; quit the job at {v}
work.title | person | one | job | job title; occupation; role; profession | work as {a}; be {a} by profession | become {a}; take a new job as {a}
work.manager | person | one | name | manager; line manager; boss | report to {v}; be managed by {v} | get {v} as a new manager
work.salary | person | one* | salary | salary; annual salary; yearly pay | earn {v} a year; make {v} a year | get a raise to {v}
work.desk | person | one | code | desk; desk number | sit at desk {v} | move to desk {v} | give up desk {v}
work.office | person | one | city | office location; office | work from the {v} office | transfer to the {v} office
work.hours | person | one | morning | start of work; working day start | start work at {v}
birthplace | person | fixed | city | birthplace; place of birth; birth town | be born in {v}<; come from {v} originally
birthday | person | fixed | day | birthday; date of birth | be born on {v}<
birth year | person | fixed | year | year of birth; birth year | be born in {v}<
blood type | person | fixed | blood | blood type; blood group | have blood type {v}
eye colour | person | fixed | eye | eye colour; eye color | have {v} eyes
mother tongue | person | fixed | language | mother tongue; native language; first language | be a native speaker of {v}; grow up speaking {v}<
alma mater | person | fixed | school | alma mater; bachelor's university | get a bachelor's degree from {v}<
degree subject | person | fixed | subject | degree subject; first degree | do a first degree in {v}<
first car | person | fixed | car | first car; very first car
first pet | person | fixed | pet | first pet; childhood pet's name
wedding date | person | fixed | date | wedding date; date of the wedding | get married on {v}<
car | person | one | car | car; current car | drive {a}; get around in {a} | swap the {o} for {a}; switch to {a} | sell the {v}; give up the {v}
car colour | person | one* | colour | car colour; colour of the car | drive a {v} car
commute | person | one | transport | way of commuting; means of commuting | commute by {v}; get to work by {v}; go to work by {v} | switch from {o} to {v} for the commute | give up commuting by {v}
phone model | person | one | phone | phone; phone model; smartphone | use {a}; have {a}; carry {a} | replace the {o} with {a}; switch to {a} | sell the {v}
home phone | person | one* | number | home phone; home phone number; landline
work phone | person | one* | number | work phone; work phone number; office number
mobile number | person | one* | number | mobile number; cell number; mobile
email.private | person | one* | email | private email; personal email address | use {v} as a personal address
email.work | person | one* | email | work email; work email address
bank | person | one | bank | main bank; bank | bank with {v}; do all banking at {v} | switch from {o} to {v}; move the account to {v} | close the account at {v}
insurer | person | one* | insurer | health insurer; insurance company | be insured with {v}; have insurance from {v} | switch insurers to {v} | cancel the {v} insurance
gym | person | one | gym | gym; fitness club | work out at {v}; train at {v} | switch from {o} to {v} | cancel the {v} membership; quit {v}
diet | person | one | diet | diet; eating pattern | follow a {v} diet; be on a {v} diet; eat {v} | go {v}; switch from {o} to {v} | give up the {v} diet
marital status | person | one* | marital | marital status; civil status | be {v}
dentist | person | one* | surname | dentist | see Dr. {v} for dental care; be a dental patient of Dr. {v} | change dentists to Dr. {v}
doctor | person | one* | surname | family doctor; GP | be registered with Dr. {v} | change doctors to Dr. {v}
landlord | person | one* | surname | landlord | rent from {v}; rent a flat from {v}
piano teacher | person | one* | surname | music teacher; piano teacher | take piano lessons from Ms. {v} | switch music teachers from Ms. {o} to Ms. {v} | stop taking lessons from Ms. {v}
partner | person | one* | name | partner; life partner | be in a relationship with {v}; be together with {v} | get together with {v} | break up with {v}; separate from {v}
roommate | person | one* | name | flatmate; roommate | share a flat with {v} | get {v} as a new flatmate
emergency contact | person | one* | name | emergency contact; contact in an emergency | list {v} as emergency contact
mentor | person | one* | name | mentor; career mentor | be mentored by {v} | switch mentors from {o} to {v}
football club | person | one* | club | football club; favourite team | support {v}; be a fan of {v} only | switch allegiance from {o} to {v}
party | person | one* | party | political party; party membership | be a member of the {v} | leave the {o} for the {v}; switch from the {o} to the {v} | leave the {v}; cancel the {v} membership
editor | person | one | editor | main editor; default editor; favourite editor | edit mainly in {v}; prefer {v} over other editors | switch from {o} to {v}; replace {o} with {v} | uninstall {v}
browser | person | one | browser | default browser; main browser | browse only with {v}; have {v} as default browser | switch from {o} to {v} | uninstall {v}
shell | person | one | shell | default shell; login shell | run {v} as login shell | switch from {o} to {v} for the shell
laptop os | person | one | os | laptop's operating system; laptop OS | run {v} on the laptop; have {v} on the laptop | replace {o} with {v} on the laptop; move the laptop to {v} | wipe {v} from the laptop
theme | person | one | theme | preferred theme; UI theme; colour theme | use {v}; prefer {v} | switch from {o} to {v} | turn {v} off
wake-up time | person | one | morning | wake-up time; alarm time | get up at {v}; wake up at {v} | move the alarm to {v}
bedtime | person | one | evening | bedtime | go to bed at {v} | shift bedtime to {v}
lunch time | person | one | clock | lunch time; lunch break | have lunch at {v}; take a lunch break at {v}
favourite food | person | one* | food | favourite food; favourite dish; favourite meal | like {v} best; like {v} more than any other dish
favourite drink | person | one* | drink | favourite drink; best-liked drink | like {v} best of all drinks
favourite cuisine | person | one* | cuisine | favourite cuisine; favourite kind of food
favourite colour | person | one* | colour | favourite colour; favorite color | like {v} best as a colour
favourite band | person | one* | band | favourite band; favourite group | like {v} more than any other band
favourite book | person | one* | book | favourite book; favourite novel
favourite city | person | one* | city | favourite city; best-liked city | like {v} more than any other city
hair colour | person | one* | colour | hair colour; hair color | have {v} hair | dye {his} hair {v}
shoe size | person | one* | shoe | shoe size | wear size {v} shoes; take a size {v} in shoes
steps goal | person | one | count | daily step goal; step target | aim for {v} steps a day | raise the goal to {v} steps
savings goal | person | one* | budget | savings goal; savings target | be saving towards {v} | change the savings goal to {v}
height | person | fixed | metres | height; adult height | be {v} tall
frequent airline | person | one | airline | usual airline; preferred airline | fly with {v} whenever possible | switch from {o} to {v} for flights | cancel the {v} frequent-flyer card
luggage weight | person | one* | grams | luggage weight; suitcase weight
study place | person | one* | school | university; current university; place of study | study at {v}; be enrolled at {v} | transfer to {v}; transfer from {o} to {v} | drop out of {v}
major | person | one* | subject | major; field of study | study {v}; major in {v} | change majors to {v}; switch from {o} to {v} | quit studying {v}
pet name | person | one* | pet | dog's name; puppy's name | call the dog {v}
parking spot | person | one | code | parking spot; parking bay; parking space | park in bay {v} | move to bay {v} | give up bay {v}
race goal | person | one* | goal | current training goal; goal for the season | be training for {v}; be preparing for {v} | switch from training for {o} to training for {v} | give up training for {v}
phone plan | person | one* | plan | phone plan; mobile plan; subscription tier | be on the {v} plan; have the {v} plan | upgrade to {v}; switch from {o} to {v} | cancel the {v} plan
data volume | person | one* | gigabytes | mobile data volume; data allowance | have {v} of mobile data a month
therapy day | person | one | weekday | therapy day; physio day | have physio every {v} | move physio to {v}
cleaning day | person | one | weekday | cleaning day; laundry day | do the laundry every {v} | switch laundry to {v}
home office day | person | one | weekday | home office day; remote day | work from home every {v} | move the remote day to {v}
reply language | person | rule | tone | preferred reply length; preferred answer length | want {v}; ask for {v}
spelling | person | rule | spelling | spelling preference; spelling | write with {v}; want {v} in all texts
languages | person | many | language | languages; foreign languages | speak {v}; be able to speak {v} | | give up {v}
hobbies | person | many | hobby | hobbies; pastimes; interests | enjoy {v}; be into {v}; like {v} | swap {o} for {v}; give up {o} for {v} | give up {v}; quit {v}
foods liked | person | many | food | well-liked dishes | like {v}; enjoy {v}; be fond of {v} | | go off {v}
drinks liked | person | many | drink | well-liked drinks | like {v}; be fond of {v}; enjoy {v} | replace {o} with {v}; switch from {o} to {v} | give up {v}
instruments | person | many | instrument | instruments | play the {v}; be able to play the {v} | switch from the {o} to the {v}; give up the {o} for the {v} | give up the {v}
allergies | person | many | allergy | allergies | be allergic to {v}; have an allergy to {v} | | outgrow the allergy to {v}
medicines | person | many | medicine | medicines; prescriptions | take {v} every day; be on {v} | switch from {o} to {v}; replace {o} with {v} | come off {v}
genres | person | many | genre | well-liked genres; well-liked kinds of music | like {v}; enjoy {v}; be fond of {v} | | go off {v}
bands | person | many | band | much-played bands | listen to {v}; play songs by {v} | | go off {v}
friends | person | many | name | friends; close friends | be friends with {v}; be a friend of {v} | | fall out with {v}
children | person | many | name | children; kids | have a child called {v}
pets | person | many | pet | pets | have a cat called {v}; own a cat named {v} | | give away the cat {v}
coding languages | person | many | language_code | programming languages; coding languages | program in {v}; write {v}; code in {v} | switch from {o} to {v} | give up {v}
tools | person | many | editor | tools; text editors | use {v}; work with {v} | switch from {o} to {v}; replace {o} with {v} | stop using {v}; uninstall {v}
teams coached | person | many | club | sponsored clubs | donate to {v}; give money to {v}
countries visited | person | many* | country | countries already seen; countries visited | be a returning visitor to {v}
devices | person | many | device | devices | own {a}; have {a} | swap the {o} for {a} | sell the {v}
subjects taught | person | many | subject | subjects taught at school | teach {v} | switch from teaching {o} to teaching {v} | stop teaching {v}
books read | person | many | book | books on the nightstand | be reading {v} | | give up reading {v}
chat apps | person | many | chat | messaging apps; chat apps | use {v}; chat on {v} | switch from {o} to {v}; leave {o} for {v} | delete {v}; leave {v}
"""
